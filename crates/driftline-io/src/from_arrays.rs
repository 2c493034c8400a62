//! Arrays that programs have, as tables: rows of fixed width, and views of ndarray's with the feature `ndarray`.

use super::Table;

/// Columns are called c0, c1, …
impl<const WIDTH: usize> From<&[[f32; WIDTH]]> for Table {
    fn from(rows: &[[f32; WIDTH]]) -> Self {
        // Rows of no numbers make a table of no columns, which whoever reads it refuses.
        Self::from_rows(rows.as_flattened(), WIDTH).unwrap_or_default()
    }
}

impl<const WIDTH: usize> From<&Vec<[f32; WIDTH]>> for Table {
    fn from(rows: &Vec<[f32; WIDTH]>) -> Self {
        rows.as_slice().into()
    }
}

#[cfg(feature = "ndarray")]
mod views {
    use ndarray::{Array2, ArrayView2};

    use crate::{Column, Numbers, Table};

    impl From<ArrayView2<'_, f32>> for Table {
        fn from(rows: ArrayView2<'_, f32>) -> Self {
            of_columns(rows, |column| Numbers::Single(column.collect()))
        }
    }

    impl From<ArrayView2<'_, f64>> for Table {
        fn from(rows: ArrayView2<'_, f64>) -> Self {
            of_columns(rows, |column| Numbers::Double(column.collect()))
        }
    }

    impl From<&Array2<f32>> for Table {
        fn from(rows: &Array2<f32>) -> Self {
            rows.view().into()
        }
    }

    impl From<&Array2<f64>> for Table {
        fn from(rows: &Array2<f64>) -> Self {
            rows.view().into()
        }
    }

    fn of_columns<T: Copy>(
        rows: ArrayView2<'_, T>,
        numbers: impl Fn(&mut dyn Iterator<Item = T>) -> Numbers,
    ) -> Table {
        let columns = rows.columns().into_iter().enumerate();
        columns.fold(Table::new(), |table, (at, column)| {
            let column = numbers(&mut column.iter().copied());
            let table = table.with_column(format!("c{at}"), Column::Numbers(column));
            table.expect("the columns of an array have one length and names of their own")
        })
    }

    #[cfg(test)]
    mod tests {
        use ndarray::array;

        use super::*;

        #[test]
        fn a_view_is_read_by_rows_whatever_its_layout() {
            let rows = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
            let plain = Table::from_rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3).unwrap();
            let turned = rows.t().as_standard_layout().into_owned();
            for table in [Table::from(&rows), Table::from(turned.t())] {
                assert_eq!(format!("{table:?}"), format!("{plain:?}"));
            }
            assert_eq!(Table::from(&rows.mapv(f64::from)).len(), 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_arrays_are_rows() {
        let rows = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let plain = Table::from_rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2).unwrap();
        assert_eq!(format!("{:?}", Table::from(&rows)), format!("{plain:?}"));
        assert!(Table::from(&[[0.0; 0]][..]).is_empty());
    }
}
