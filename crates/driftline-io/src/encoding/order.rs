//! The order of a source's rows, by the columns of time and identifiers that a stream is read by.

use super::parts::time_of;
use crate::selection::cell_text;
use crate::{Batch, ColumnChoice, Field};
use driftline_core::data::{RowOrder, Time, numbered};

/// What can be told. A source need not have these columns, and one time that cannot be read takes all others with it: a
/// model can be trained without them. Groups are the first identifier that several rows share.
pub(super) fn row_order(
    choice: &ColumnChoice,
    fields: &[Field],
    frames: &[(Batch, Vec<usize>)],
) -> Option<RowOrder> {
    let place = |name: &String| fields.iter().position(|field| field.name == *name);
    let cells = |at: usize| {
        let of_frame = move |(frame, rows): &'_ (Batch, Vec<usize>)| -> Vec<_> {
            let column = &frame.columns[at];
            rows.iter().map(|&row| cell_text(column, row)).collect()
        };
        frames.iter().flat_map(of_frame)
    };
    let times = choice.time.as_ref().and_then(place).and_then(|at| {
        let of_frame = |(frame, rows): &'_ (Batch, Vec<usize>)| -> Vec<_> {
            let column = &frame.columns[at];
            rows.iter().map(|&row| time_of(column, row).ok()).collect()
        };
        let times: Option<Vec<Time>> = frames.iter().flat_map(of_frame).collect();
        times.map(|times| ranks(&times))
    });
    let mut ids = choice
        .ids
        .iter()
        .filter_map(place)
        .map(|at| numbered(cells(at)));
    let groups = ids.find(|groups| {
        let n = groups.iter().max().map_or(0, |&last| last as usize + 1);
        n > 1 && n < groups.len()
    });
    (times.is_some() || groups.is_some()).then_some(RowOrder { times, groups })
}

/// How many different times come before each.
fn ranks(times: &[Time]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].order(&times[b]));
    let (mut ranks, mut rank) = (vec![0; times.len()], 0);
    for pair in order.windows(2) {
        rank += u32::from(times[pair[0]].order(&times[pair[1]]).is_lt());
        ranks[pair[1]] = rank;
    }
    ranks
}
