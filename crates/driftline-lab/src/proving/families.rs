//! The families of streams: what happens to them, at which pace. Which half a family is in was fixed before any rule was
//! tried.

/// What a family is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Design,
    Test,
}

/// One thing that may happen to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Some columns of numbers move, or all of them.
    ShiftSome,
    ShiftAll,
    /// Columns are stretched or shrunk.
    Scale,
    /// The hidden directions turn, by up to 40° or by 60 to 140°.
    TurnLittle,
    TurnFar,
    /// Every class goes its own way; all come closer together; or further apart.
    ClassesMove,
    Together,
    Apart,
    /// Other shares of the classes.
    Shares,
    /// A class disappears.
    Vanish,
    /// Rows of a class that the source lacks.
    NewClass,
    /// Categories occur in other shares, whatever the class; or categories come that the source lacks.
    Remix,
    NewCategory,
    /// A sensor reports one value, or noise.
    Dead,
    Noisy,
    /// Other labels for the same rows.
    Concept,
}

/// How an effect goes along the stream, from 0 to its full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Steady,
    /// Nothing in the first third.
    Late,
    /// Up and down twice.
    Season,
    /// All at once, and for good.
    Jump,
    /// All at once, and back again after some windows.
    JumpAndReturn,
}

/// Streams of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    pub name: &'static str,
    pub half: Half,
    pub(super) effects: &'static [Effect],
    pub(super) pace: Pace,
    /// Rare classes, few columns and a category, as in a plant.
    pub(super) plant: bool,
}

const fn family(
    name: &'static str,
    half: Half,
    effects: &'static [Effect],
    pace: Pace,
    plant: bool,
) -> Family {
    Family {
        name,
        half,
        effects,
        pace,
        plant,
    }
}

use Effect::*;
use Half::{Design, Test};
use Pace::*;

/// All of them; a kind of drift is in both halves, in another form.
pub const FAMILIES: [Family; 36] = [
    family("still", Design, &[], Steady, false),
    family("shift-some", Design, &[ShiftSome], Steady, false),
    family("shift-all-late", Design, &[ShiftAll], Late, false),
    family("scale", Design, &[Scale], Steady, false),
    family("turn-far", Design, &[TurnFar], Steady, false),
    family("classes-move", Design, &[ClassesMove], Steady, false),
    family("together", Design, &[Together], Late, false),
    family("shares", Design, &[Shares], Steady, false),
    family("vanish", Design, &[Vanish], Steady, false),
    family("new-class", Design, &[NewClass], Late, false),
    family("remix", Design, &[Remix], Steady, false),
    family("dead", Design, &[Dead], Jump, false),
    family("season", Design, &[ShiftAll], Season, false),
    family("concept", Design, &[Concept], Steady, false),
    family("jump", Design, &[ShiftAll, Scale], Jump, false),
    family("plant", Design, &[ShiftAll], Steady, true),
    family(
        "shift-and-shares",
        Design,
        &[ShiftSome, Shares],
        Steady,
        false,
    ),
    family(
        "turn-and-shares",
        Design,
        &[TurnLittle, Shares],
        Steady,
        false,
    ),
    family("still-plant", Test, &[], Steady, true),
    family("shift-all", Test, &[ShiftAll], Steady, false),
    family("shift-some-late", Test, &[ShiftSome], Late, false),
    family("shift-and-scale", Test, &[ShiftAll, Scale], Steady, false),
    family("turn-little", Test, &[TurnLittle], Steady, false),
    family("turn-and-scale", Test, &[TurnFar, Scale], Steady, false),
    family("apart", Test, &[Apart], Steady, false),
    family("shares-season", Test, &[Shares], Season, false),
    family("vanish-and-shift", Test, &[Vanish, ShiftSome], Late, false),
    family(
        "new-class-and-shares",
        Test,
        &[NewClass, Shares],
        Steady,
        false,
    ),
    family("new-category", Test, &[NewCategory], Steady, false),
    family("noisy", Test, &[Noisy], Late, false),
    family("season-some", Test, &[ShiftSome, Scale], Season, false),
    family(
        "concept-and-shift",
        Test,
        &[Concept, ShiftSome],
        Late,
        false,
    ),
    family("jump-and-return", Test, &[ShiftAll], JumpAndReturn, false),
    family("plant-remixed", Test, &[ShiftAll, Remix], Late, true),
    family(
        "classes-move-late",
        Test,
        &[ClassesMove, Shares],
        Late,
        false,
    ),
    family("scale-and-dead", Test, &[Scale, Dead], Steady, false),
];
