//! Printed numbers to set beside ours: CSV with the columns `dataset,method,mean,half_width`.

use serde::{Deserialize, Serialize};

use driftline_core::{Error, Result};

/// One printed cell, in per cent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedCell {
    pub dataset: String,
    pub method: String,
    pub mean: f64,
    pub half_width: Option<f64>,
}

/// The printed numbers of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    pub cells: Vec<ExpectedCell>,
}

impl Expected {
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let header = lines.next().map(|(_, line)| line.trim());
        const HEADER: &str = "dataset,method,mean,half_width";
        if header != Some(HEADER) {
            return Err(Error::mismatch(
                "the first line",
                HEADER,
                header.unwrap_or("nothing"),
            ));
        }
        let cells = lines
            .map(|(number, line)| parse_line(number + 1, line))
            .collect::<Result<_>>()?;
        Ok(Self { cells })
    }

    pub fn cell(&self, dataset: &str, method: &str) -> Option<&ExpectedCell> {
        self.cells
            .iter()
            .find(|cell| cell.dataset == dataset && cell.method == method)
    }
}

fn parse_line(number: usize, line: &str) -> Result<ExpectedCell> {
    let bad = |found: &str| {
        Error::mismatch(
            format!("line {number}"),
            "dataset,method,number,number or empty",
            found,
        )
    };
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [dataset, method, mean, half_width] = fields[..] else {
        return Err(bad(line));
    };
    let number = |field: &str| match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(bad(line)),
    };
    Ok(ExpectedCell {
        dataset: dataset.into(),
        method: method.into(),
        mean: number(mean)?,
        half_width: if half_width.is_empty() {
            None
        } else {
            Some(number(half_width)?)
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_name() {
        let text = "dataset,method,mean,half_width\nGaussian,Source,47.7,0.3\nGaussian,Other,1,\n";
        let expected = Expected::parse(text).unwrap();
        assert_eq!(
            expected.cell("Gaussian", "Source").unwrap().half_width,
            Some(0.3)
        );
        assert_eq!(expected.cell("Gaussian", "Other").unwrap().half_width, None);
        assert!(expected.cell("Portraits", "Source").is_none());
    }

    #[test]
    fn faults_name_their_line() {
        let error = Expected::parse("dataset,method,mean,half_width\na,b,NaN,\n").unwrap_err();
        assert!(error.to_string().starts_with("line 2 "), "{error}");
        assert!(Expected::parse("").is_err());
    }
}
