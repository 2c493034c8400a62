//! Work without an end: a table that always has more rows, and a learner that trains on until it is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::Result;
use driftline_core::data::{Examples, Inputs, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_io::{
    Batch, Batches, Column, Field, Head, Kind, Numbers, ReadOptions, TableSource, Texts,
};
use driftline_models::{Array, Arrays, Classifier, Learner, Runtime, Stored};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const ROWS: usize = 1000;

/// Counts the frames that were taken from it.
#[derive(Clone, Default)]
pub struct Endless(Arc<AtomicUsize>);

impl Endless {
    pub fn taken(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct EndlessBatches {
    taken: Endless,
    head: Head,
    next: u64,
}

impl TableSource for Endless {
    fn open(&self, _: &ReadOptions) -> Result<Box<dyn Batches>> {
        let fields = vec![
            Field::new("x", Kind::Number),
            Field::new("y", Kind::Number),
            Field::new("label", Kind::Text),
        ];
        Ok(Box::new(EndlessBatches {
            taken: self.clone(),
            head: Head::new("endless", fields, "a table without an end"),
            next: 0,
        }))
    }
}

impl Batches for EndlessBatches {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        self.taken.0.fetch_add(1, Ordering::SeqCst);
        let first = self.next;
        self.next += ROWS as u64;
        let numbers = |times: u64| {
            let rows = (first..self.next).map(|row| ((row * times) % 101) as f64);
            Column::Numbers(Numbers::Double(rows.collect()))
        };
        let names = (first..self.next).map(|row| Some(if row % 2 == 0 { "a" } else { "b" }));
        Ok(Some(Batch {
            file: 0,
            first_row: first + 1,
            scattered: None,
            columns: vec![
                numbers(7),
                numbers(13),
                Column::Text(names.collect::<Texts>()),
            ],
            rows: ROWS,
        }))
    }
}

/// Trains once without delay, and on for ever: only the token ends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tireless {
    #[serde(skip)]
    runtime: Runtime,
}

#[derive(Clone, Debug)]
pub struct Even {
    shape: Shape,
    n_classes: usize,
}

impl Classifier for Even {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Every class is sure of some rows, so that no window is held.
    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        let row = |row: usize| {
            let mut values = vec![0.0; self.n_classes];
            values[row % self.n_classes] = 1.0;
            values
        };
        Probabilities::new((0..inputs.len()).flat_map(row).collect(), self.n_classes)
    }

    fn store(&self) -> Result<Stored> {
        Ok(Stored {
            description: json!({ "shape": self.shape, "classes": self.n_classes }),
            arrays: vec![Array::single("nothing", &[1], &[0.0])],
        })
    }
}

impl Learner for Tireless {
    const KIND: &'static str = "tireless";

    type Model = Even;

    fn fit(&self, examples: &Examples, _: Seed) -> Result<Even> {
        Ok(Even {
            shape: examples.inputs().shape(),
            n_classes: examples.n_classes(),
        })
    }

    fn refit(&self, _: &Even, _: &Examples, _: Seed) -> Result<Even> {
        loop {
            self.runtime.cancel().check()?;
            std::thread::yield_now();
        }
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Even, String> {
        arrays.single("nothing", &[1])?;
        let wrong = |error: serde_json::Error| error.to_string();
        Ok(Even {
            shape: serde_json::from_value(description["shape"].clone()).map_err(wrong)?,
            n_classes: serde_json::from_value(description["classes"].clone()).map_err(wrong)?,
        })
    }
}
