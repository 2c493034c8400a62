//! The protocol-buffer encoding, as much of it as an ONNX file needs: numbers, texts, and messages within messages.

/// A message that grows field by field.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// How a field's value is laid out.
enum Layout {
    Varint = 0,
    Sized = 2,
    Four = 5,
}

impl Message {
    pub fn new() -> Self {
        Self::default()
    }

    /// An integer; negative ones take ten bytes.
    pub fn int(mut self, field: u32, value: i64) -> Self {
        self.key(field, Layout::Varint);
        self.varint(value as u64);
        self
    }

    pub fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, Layout::Four);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.key(field, Layout::Sized);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
        self
    }

    pub fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub fn message(self, field: u32, value: Message) -> Self {
        self.bytes(field, &value.bytes)
    }

    /// One entry of a repeated field for each value.
    pub fn each<T>(
        self,
        values: impl IntoIterator<Item = T>,
        add: impl Fn(Self, T) -> Self,
    ) -> Self {
        values.into_iter().fold(self, add)
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn key(&mut self, field: u32, layout: Layout) {
        self.varint(u64::from(field) << 3 | layout as u64);
    }

    /// Seven bits a byte, the lowest first, the top bit set on all but the last.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's own description.
    #[test]
    fn numbers_texts_and_messages() {
        let number = Message::new().int(1, 150);
        assert_eq!(number.clone().finish(), [0x08, 0x96, 0x01]);
        let text = Message::new().text(2, "testing");
        assert_eq!(text.finish(), b"\x12\x07testing");
        let nested = Message::new().message(3, number);
        assert_eq!(nested.finish(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let negative = Message::new().int(1, -2).finish();
        assert_eq!(negative.len(), 11);
        assert_eq!(
            Message::new().float(2, 1.0).finish(),
            [0x15, 0, 0, 0x80, 0x3f]
        );
    }
}
