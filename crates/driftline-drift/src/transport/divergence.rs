//! Total variation and Kullback–Leibler divergence of finite distributions: blind to how far apart the points are.

use super::cloud::Cloud;
use super::expect_comparable;
use driftline_core::Result;

/// TV(P, Q) = ½ Σ|P(x) − Q(x)|.
pub fn total_variation(p: &Cloud, q: &Cloud) -> Result<f64> {
    let both = merged(p, q)?;
    Ok(both.iter().map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0)
}

/// KL(P‖Q) = Σ P(x) log(P(x)/Q(x)): infinite where P has mass and Q has none.
pub fn kullback_leibler(p: &Cloud, q: &Cloud) -> Result<f64> {
    let both = merged(p, q)?;
    let term = |&(p, q): &(f64, f64)| match (p > 0.0, q > 0.0) {
        (false, _) => 0.0,
        (true, false) => f64::INFINITY,
        (true, true) => p * libm::log(p / q),
    };
    Ok(both.iter().map(term).sum::<f64>().max(0.0))
}

/// The masses that both distributions give to each point that either knows.
fn merged(p: &Cloud, q: &Cloud) -> Result<Vec<(f64, f64)>> {
    expect_comparable(p, q)?;
    let of_p = (0..p.len()).map(|i| (p.point(i), p.mass(i), 0.0));
    let of_q = (0..q.len()).map(|i| (q.point(i), 0.0, q.mass(i)));
    let mut atoms: Vec<_> = of_p.chain(of_q).collect();
    // Adding 0 turns −0 into +0, which is the same point.
    let key = |x: &[f64]| x.iter().map(|v| (v + 0.0).to_bits()).collect::<Vec<u64>>();
    atoms.sort_by_cached_key(|(x, _, _)| key(x));
    let mut merged: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<&[f64]> = None;
    for (x, p, q) in atoms {
        match merged.last_mut() {
            Some(sums) if last == Some(x) => {
                sums.0 += p;
                sums.1 += q;
            }
            _ => merged.push((p, q)),
        }
        last = Some(x);
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let p = Cloud::new(1, vec![0.0, 1.0])
            .unwrap()
            .with_masses(&[0.25, 0.75])
            .unwrap();
        let q = Cloud::new(1, vec![1.0, -0.0]).unwrap();
        assert!((total_variation(&p, &q).unwrap() - 0.25).abs() < 1e-15);
        let right = 0.25 * 0.5_f64.ln() + 0.75 * 1.5_f64.ln();
        assert!((kullback_leibler(&p, &q).unwrap() - right).abs() < 1e-15);
        let far = Cloud::new(1, vec![5.0]).unwrap();
        assert_eq!(total_variation(&p, &far).unwrap(), 1.0);
        assert_eq!(kullback_leibler(&p, &far).unwrap(), f64::INFINITY);
    }
}
