use driftline::random::Seed;
use driftline::theory::claims::*;
fn main() {
    let only = std::env::args().nth(1);
    let t0 = std::time::Instant::now();
    for s in STATEMENTS {
        if only.as_ref().is_some_and(|o| o != s.id) {
            continue;
        }
        let t = std::time::Instant::now();
        match s.check(Seed::new(0)) {
            Ok(c) => {
                println!(
                    "{:16} {} {:?}\n    pred {}\n    comp {}",
                    c.id,
                    c.holds,
                    t.elapsed(),
                    c.predicted,
                    c.computed
                );
                if only.is_some() {
                    println!("{}", c.explanation)
                }
            }
            Err(e) => println!("{:16} ERROR {e} {:?}", s.id, t.elapsed()),
        }
    }
    println!("{:?}", t0.elapsed());
}
