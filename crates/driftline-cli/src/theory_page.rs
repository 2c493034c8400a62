//! All statements of the theory as one offline page.

use driftline::theory::claims::Claim;
use minijinja::{Environment, context};

use crate::theory_pictures;

const TEMPLATE: &str = r##"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>driftline: the theory, computed</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
td, th { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #8884; }
.no { color: #d64550; font-weight: bold; }
section { margin-top: 2rem; break-inside: avoid; }
svg { max-width: 100%; height: auto; }
</style></head><body>
<h1>The theory, computed</h1>
<p>{{ held }} of {{ claims|length }} statements hold as we read them.</p>
<table><tr><th></th><th>statement</th><th>predicted</th><th>computed</th><th>holds</th></tr>
{% for claim in claims %}<tr><td><a href="#c{{ claim.id }}">{{ claim.id }}</a></td><td>{{ claim.title }}</td><td>{{ claim.predicted }}</td><td>{{ claim.computed }}</td><td{% if not claim.holds %} class="no"{% endif %}>{{ "yes" if claim.holds else "no" }}</td></tr>
{% endfor %}</table>
{% for claim in claims %}<section id="c{{ claim.id }}"><h2>{{ claim.id }} · {{ claim.title }}</h2>
<p>{{ claim.explanation }}</p>
<p><b>Predicted:</b> {{ claim.predicted }}<br><b>Computed:</b> {{ claim.computed }}</p>
{{ pictures[loop.index0]|safe }}</section>
{% endfor %}</body></html>
"##;

pub fn page(claims: &[Claim]) -> String {
    let picture = |claim: &Claim| {
        claim
            .picture
            .as_ref()
            .map_or(String::new(), theory_pictures::svg)
    };
    let pictures: Vec<String> = claims.iter().map(picture).collect();
    let held = claims.iter().filter(|claim| claim.holds).count();
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let values = |claim: &Claim| {
        context! {
            id => claim.id,
            title => claim.title,
            predicted => claim.predicted.as_str(),
            computed => claim.computed.as_str(),
            holds => claim.holds,
            explanation => claim.explanation.as_str(),
        }
    };
    let claims: Vec<minijinja::Value> = claims.iter().map(values).collect();
    environment
        .render_str(TEMPLATE, context! { claims, pictures, held })
        .expect("the template is fixed and its values are plain")
}
