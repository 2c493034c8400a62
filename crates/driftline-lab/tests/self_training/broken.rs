//! A stream that breaks off ends the run with its error.

use super::*;

/// A stream that breaks off.
struct Broken;

impl Windows for Broken {
    fn count(&self) -> usize {
        1
    }

    fn window(&mut self, _: usize) -> Result<Domain> {
        Err(Error::Interrupted)
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        self.window(index)
    }

    fn all(&mut self) -> Result<Domain> {
        self.window(0)
    }

    fn target_pool(&mut self) -> Result<Domain> {
        self.window(0)
    }

    fn remainder(&self) -> Remainder {
        Remainder::None
    }
}

impl Stages for Broken {
    type Rows = ();

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, ())>> {
        let stage = curriculum.next(place, self, teacher)?;
        Ok(stage.map(|stage| (stage, ())))
    }
}

#[test]
fn an_error_of_a_stage_ends_in_an_error_of_the_run() {
    let adaptation = start(candidate(), source_model(&task()));
    assert!(matches!(
        adaptation.finish(&mut Broken),
        Err(Error::Interrupted)
    ));
}
