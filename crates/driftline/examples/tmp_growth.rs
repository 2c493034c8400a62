use driftline::theory::constructions::exponential_growth::*;
use driftline::theory::population::follow_all;
fn main() {
    for alpha in [
        0.25, 0.24, 0.2353, 0.2352, 0.2, 0.15, 0.11, 0.1, 0.05, 0.02, 0.01,
    ] {
        for (name, f) in [
            ("printed", printed as fn(f64, usize) -> _),
            ("two", two_step),
            ("three", three_step),
        ] {
            let g = f(alpha, 9).unwrap();
            let t = std::time::Instant::now();
            let stages = follow_all(
                &g.construction.class,
                &g.construction.start,
                &g.construction.domains[1..],
            )
            .unwrap();
            let mut ok = true;
            let mut out = vec![];
            for r in 1..=9 {
                let s = &stages[g.shifts_per_round * r - 1];
                ok &= s.ramp_loss.least >= g.required(r) - 1e-9;
                out.push(format!(
                    "{:.3}-{:.3}/{:.3}",
                    s.ramp_loss.least,
                    s.ramp_loss.most,
                    g.required(r)
                ));
            }
            let a = g.construction.assumptions(&witness()).unwrap();
            println!(
                "{alpha} {name} {ok} rho {:.4} ls {} sep {} {:?} {}",
                a.rho,
                a.label_shift,
                a.separation,
                t.elapsed(),
                out[..5].join(" ")
            );
        }
    }
}
