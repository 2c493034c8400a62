//! Tables in memory for tests: also the shortest reader of your own.

use driftline_core::Result;
use driftline_core::data::Shape;
use driftline_core::random::Seed;
use driftline_io::{
    Batch, Batches, Column, Field, Head, Kind, Numbers, ReadOptions, TableSource, Texts,
};
use rand::RngExt;

/// Named columns.
#[derive(Clone)]
pub struct Memory {
    pub fields: Vec<Field>,
    pub columns: Vec<Column>,
    pub rows: usize,
}

struct Once {
    table: Memory,
    head: Head,
    given: bool,
}

impl TableSource for Memory {
    fn open(&self, _: &ReadOptions) -> Result<Box<dyn Batches>> {
        Ok(Box::new(Once {
            table: self.clone(),
            head: Head::new("memory", self.fields.clone(), "a table in memory"),
            given: false,
        }))
    }
}

impl Batches for Once {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let first = !std::mem::replace(&mut self.given, true);
        Ok(first.then(|| Batch {
            file: 0,
            first_row: 1,
            scattered: None,
            columns: self.table.columns.clone(),
            rows: self.table.rows,
        }))
    }
}

impl Memory {
    pub fn new(rows: usize) -> Self {
        Self {
            fields: vec![],
            columns: vec![],
            rows,
        }
    }

    pub fn numbers(mut self, name: &str, values: Vec<f64>) -> Self {
        self.fields.push(Field::new(name, Kind::Number));
        self.columns.push(Column::Numbers(Numbers::Double(values)));
        self
    }

    pub fn texts(mut self, name: &str, values: &[String]) -> Self {
        self.fields.push(Field::new(name, Kind::Text));
        let texts: Texts = values.iter().map(|v| Some(v.as_str())).collect();
        self.columns.push(Column::Text(texts));
        self
    }

    pub fn images(mut self, name: &str, shape: Shape, values: Vec<f32>) -> Self {
        self.fields.push(Field::new(name, Kind::Image(shape)));
        self.columns.push(Column::Images(values));
        self
    }
}

/// Classes `a`, `b`, … whose centres lie on a circle that turns by `angle`, a category that leans towards a class, and a
/// number without any meaning.
pub fn circle(rows: usize, classes: usize, angle: f64, seed: u64) -> Memory {
    let mut generator = Seed::new(seed).generator();
    let mut noise = move || generator.random_range(-1.0..1.0);
    let class: Vec<usize> = (0..rows).map(|row| row % classes).collect();
    let names: Vec<String> = class.iter().map(|&c| name(c)).collect();
    let turn = |c: usize| angle + std::f64::consts::TAU * c as f64 / classes as f64;
    let x = class
        .iter()
        .map(|&c| 100.0 + 30.0 * turn(c).cos() + 9.0 * noise());
    let x: Vec<f64> = x.collect();
    let mut generator = Seed::new(seed).named("y").generator();
    let mut noise = move || generator.random_range(-1.0..1.0);
    let y: Vec<f64> = (class
        .iter()
        .map(|&c| 0.03 * turn(c).sin() + 0.009 * noise()))
    .collect();
    let kinds: Vec<String> = (0..rows)
        .map(|row| {
            if row % 3 == 0 {
                name(class[row])
            } else {
                "z".into()
            }
        })
        .collect();
    Memory::new(rows)
        .numbers("x", x)
        .numbers("y", y)
        .texts("kind", &kinds)
        .texts("label", &names)
}

pub fn name(class: usize) -> String {
    char::from(b'a' + class as u8).to_string()
}

/// Images of a bright corner, one of two or more, in noise.
pub fn corners(rows: usize, shape: Shape, seed: u64) -> Memory {
    let Shape::Image {
        height,
        width,
        channels,
    } = shape
    else {
        panic!("images")
    };
    let mut generator = Seed::new(seed).generator();
    let mut values = vec![];
    let mut names = vec![];
    for row in 0..rows {
        let class = row % 4;
        names.push(name(class));
        for y in 0..height {
            for x in 0..width {
                let here = usize::from(2 * y >= height) * 2 + usize::from(2 * x >= width);
                for _ in 0..channels {
                    let noise: f32 = generator.random_range(0.0..0.4);
                    values.push(if here == class { 0.6 + noise } else { noise });
                }
            }
        }
    }
    Memory::new(rows)
        .images("image", shape, values)
        .texts("label", &names)
}
