//! Rotation against scipy: `reference/rotation.json` was made by `reference/rotation.py`.

use driftline_lab::datasets::image::GreyImages;
use driftline_lab::datasets::image::rotation::rotate_each;
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    height: usize,
    width: usize,
    seed: u64,
    angle: f64,
    turned: Vec<f64>,
}

/// The same recurrence as in the script.
fn picture(height: usize, width: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut pixels = Vec::new();
    let square = |i: usize, n: usize| (2 * i as i64 - n as i64 + 1).pow(2);
    for i in 0..height {
        for j in 0..width {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            let inside =
                4 * (square(i, height) + square(j, width)) < ((height + width) as i64).pow(2);
            let levels = if inside { 256 } else { 16 };
            pixels.push(((state >> 16) % levels) as u8);
        }
    }
    pixels
}

#[test]
fn rotation_agrees_with_scipy() {
    let text = include_str!("reference/rotation.json");
    let reference: Reference = serde_json::from_str(text).unwrap();
    let mut worst: f64 = 0.0;
    for case in &reference.cases {
        let pixels = picture(case.height, case.width, case.seed);
        let images = GreyImages::new(case.height, case.width, pixels).unwrap();
        let turned = rotate_each(&images, &[(0, case.angle)]).unwrap();
        assert_eq!(turned.len(), case.turned.len());
        for (at, (&ours, &theirs)) in turned.iter().zip(&case.turned).enumerate() {
            let difference = (f64::from(ours) - theirs).abs();
            worst = worst.max(difference);
            assert!(
                difference < 1e-6,
                "{}×{} by {}°, pixel {at}: {ours}, scipy {theirs}",
                case.height,
                case.width,
                case.angle
            );
        }
    }
    assert!(
        worst < 2e-7,
        "the rounding to 32 bits alone is smaller: {worst}"
    );
}
