use driftline::random::Seed;
use driftline::transport::*;
use rand_distr::{Distribution, StandardNormal};
fn main() {
    for (n, d, shift) in [
        (2000, 100, 0.0),
        (2000, 100, 1.0),
        (2000, 2, 1.0),
        (10000, 100, 0.0),
        (10000, 100, 2.0),
        (10000, 2, 1.0),
    ] {
        let draw = |shift: f64, seed: u64| {
            let mut g = Seed::new(seed).generator();
            let v = (0..n * d)
                .map(|i| {
                    let z: f64 = StandardNormal.sample(&mut g);
                    if i % d == 0 { z + shift } else { z }
                })
                .collect();
            Cloud::new(d, v).unwrap()
        };
        let (p, q) = (draw(0.0, 1), draw(shift, 2));
        let t = std::time::Instant::now();
        let w = w_infinity(&p, &q, Seed::new(0)).unwrap();
        println!("n {n} d {d} shift {shift}: {w:?} {:?}", t.elapsed());
        if n == 2000 {
            let q = q.pick(&(0..1900).collect::<Vec<_>>());
            let t = std::time::Instant::now();
            let w = w_infinity(&p, &q, Seed::new(0)).unwrap();
            println!("   flow 2000 x 1900: {w:?} {:?}", t.elapsed());
        }
    }
}
