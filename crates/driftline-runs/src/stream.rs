//! A stream on disk as the curricula see it: one window at a time in memory, but for `up_to` and `all`, which need what
//! they give.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::asked::GivenLabels;
use driftline_adapt::{Curriculum, Expert, Stage, Stages, Version, Windows};
use driftline_core::data::{Domain, Inputs, Remainder, Windowing};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use driftline_io::{
    ColumnChoice, Encoding, Outline, ReadOptions, TableSource, Window, WindowedStream,
};

/// Windows read from files. They can be gone through once, in order, from any of them on.
pub struct FileWindows {
    outline: Outline,
    /// Gone once the whole stream was asked for.
    stream: Option<WindowedStream>,
    /// The window that comes next, once one was taken.
    next: Option<usize>,
    /// What was given last, with all that belongs to its rows.
    arrived: Option<(usize, Arc<Window>)>,
    /// Windows up to some number together.
    pile: Option<(usize, Inputs)>,
    /// The windows before the next, for curricula that look back so far.
    recent: VecDeque<(usize, Inputs)>,
    /// Labels of its rows, for what is asked.
    labels: Option<Arc<GivenLabels>>,
}

/// Where the whole stream stands among the windows.
const WHOLE: usize = usize::MAX;

impl FileWindows {
    /// Reads the stream once: whatever is wrong with a row is told now.
    pub fn open(
        source: Box<dyn TableSource>,
        encoding: &Encoding,
        choice: &ColumnChoice,
        windowing: &Windowing,
        read: &ReadOptions,
    ) -> Result<Self> {
        let stream = WindowedStream::open(source, encoding, choice, windowing, read)?;
        expect_known_answers(stream.outline(), choice, encoding)?;
        Ok(Self::of(stream))
    }

    /// A table in memory of so many rows, which needs no reading beforehand where they stay in their order.
    pub fn of_known_rows(
        source: Box<dyn TableSource>,
        encoding: &Encoding,
        choice: &ColumnChoice,
        windowing: &Windowing,
        read: &ReadOptions,
        rows: u64,
    ) -> Result<Self> {
        let unread = choice.time.is_none() && choice.filters.is_empty() && choice.answers.is_none();
        if !unread {
            return Self::open(source, encoding, choice, windowing, read);
        }
        let stream = WindowedStream::unread(source, encoding, choice, windowing, read, rows)?;
        Ok(Self::of(stream))
    }

    fn of(stream: WindowedStream) -> Self {
        Self {
            outline: stream.outline().clone(),
            stream: Some(stream),
            next: None,
            arrived: None,
            pile: None,
            recent: VecDeque::new(),
            labels: None,
        }
    }

    /// With labels from a file, which answer what is asked.
    pub(super) fn with_labels(self, labels: Option<Arc<GivenLabels>>) -> Self {
        Self { labels, ..self }
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// What was handled about the stream as a whole.
    pub fn notes(&self) -> driftline_io::Notes {
        self.stream
            .as_ref()
            .map_or_else(Default::default, |stream| stream.notes().clone())
    }

    /// The whole stream as one window, with answers and all.
    pub fn whole(&mut self) -> Result<Arc<Window>> {
        self.all()?;
        self.given()
    }

    fn given(&self) -> Result<Arc<Window>> {
        let given = self.arrived.as_ref().map(|(_, window)| window.clone());
        given.ok_or_else(|| Error::empty("the window that arrived"))
    }

    fn take(&mut self, index: usize) -> Result<Domain> {
        if self.arrived.as_ref().is_none_or(|(at, _)| *at != index) {
            let stream = self.stream.as_mut().ok_or_else(passed)?;
            match self.next {
                None => stream.start_at(index + 1),
                Some(next) if next == index => {}
                Some(next) if next < index => {
                    for _ in next..index {
                        stream.next_window()?;
                    }
                }
                Some(_) => return Err(passed()),
            }
            let window = stream.next_window()?.ok_or_else(passed)?;
            self.next = Some(index + 1);
            self.arrived = Some((index, Arc::new(window)));
        }
        Ok(Domain::new(self.given()?.rows.inputs.clone()))
    }
}

/// A stage comes with the rows that were asked for it last.
impl Stages for FileWindows {
    type Rows = Arc<Window>;

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, Arc<Window>)>> {
        let stage = curriculum.next(place, self, teacher)?;
        stage.map(|stage| Ok((stage, self.given()?))).transpose()
    }

    fn expert(&self, rows: &Arc<Window>) -> Option<Arc<dyn Expert>> {
        let given = self.labels.as_ref().map(|labels| labels.expert(rows));
        given.or_else(|| crate::expert::of(rows))
    }
}

/// A curriculum that goes back would have to read the stream once more.
fn passed() -> Error {
    Error::NotSupported {
        what: "a window of a stream on disk that was passed".into(),
        how: "read again".into(),
    }
}

impl Windows for FileWindows {
    fn count(&self) -> usize {
        self.outline.windows.len()
    }

    fn window(&mut self, index: usize) -> Result<Domain> {
        self.take(index)
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        let from = self.pile.as_ref().map_or(0, |(to, _)| to + 1);
        for at in from..=index {
            let window = self.take(at)?.inputs;
            let all = match self.pile.take() {
                Some((_, pile)) => pile.followed_by(&window)?,
                None => window,
            };
            self.pile = Some((at, all));
        }
        let (_, pile) = self.pile.as_ref().ok_or_else(passed)?;
        Ok(Domain::new(pile.clone()))
    }

    fn recent(&mut self, index: usize, count: NonZeroUsize) -> Result<Domain> {
        let first = (index + 1).saturating_sub(count.get());
        self.recent.retain(|(at, _)| *at >= first);
        let known = self.recent.back().map_or(first, |(at, _)| at + 1);
        for at in known..=index {
            let window = self.take(at)?.inputs;
            self.recent.push_back((at, window));
        }
        let mut windows = self.recent.iter().map(|(_, window)| window);
        let mut all = windows.next().ok_or_else(passed)?.clone();
        for window in windows {
            all = all.followed_by(window)?;
        }
        Ok(Domain::new(all))
    }

    fn all(&mut self) -> Result<Domain> {
        if self.arrived.as_ref().is_none_or(|(at, _)| *at != WHOLE) {
            let stream = self.stream.take().ok_or_else(passed)?;
            let window = stream.into_one_window().next_window()?;
            self.arrived = Some((WHOLE, Arc::new(window.ok_or_else(passed)?)));
        }
        Ok(Domain::new(self.given()?.rows.inputs.clone()))
    }

    fn target_pool(&mut self) -> Result<Domain> {
        let mut sizes = self.outline.windows.iter().map(|window| window.rows);
        match &self.arrived {
            Some((WHOLE, whole)) => {
                let end: usize = sizes.clone().sum();
                let last = end - sizes.next_back().unwrap_or(0)..end;
                Ok(Domain::new(whole.rows.inputs.slice(last)))
            }
            _ => self.take(self.count() - 1),
        }
    }

    fn remainder(&self) -> Remainder {
        self.outline.remainder
    }
}

/// Refuses answers of which not one is a class of the model.
pub(crate) fn expect_known_answers(
    outline: &Outline,
    choice: &ColumnChoice,
    encoding: &Encoding,
) -> Result<()> {
    match outline.answers {
        Some(answers) if answers.unknown > 0 && answers.known == 0 => {
            let path = outline.digests.first().map(|digest| &*digest.path);
            let path = path.unwrap_or(std::path::Path::new("the stream"));
            let classes = encoding.classes().join("`, `");
            let fault = DataFault::new(path, "none of the true classes is a class of the model")
                .column(choice.answers.as_deref().unwrap_or_default())
                .help(format!(
                    "the classes are `{classes}`; name the column that has them with {{answers}}"
                ));
            Err(fault.into())
        }
        _ => Ok(()),
    }
}
