// Rows come sorted by need; only those in view are drawn. What is shown stands behind the # of the address.
"use strict";
const { states, rows } = JSON.parse(document.getElementById("data").textContent);
const [KEY, STATE, ACCURACY, LOW, HIGH, COUNTED, DRIFT, WINDOWS, ROWS, VERSION, WHY, ACCURACIES, DRIFTS, DECISIONS, REPORT, TODO, NUMBERS] =
  Array.from({ length: 17 }, (_, at) => at);
const HEIGHT = 36;
const list = document.getElementById("list"), body = document.getElementById("body");
const search = document.getElementById("search"), shown = document.getElementById("shown");
const dialog = document.querySelector("dialog"), detail = document.getElementById("detail");
let found = rows;

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
const percent = value => value === null ? "–" : (100 * value).toFixed(1) + " %";
const fixed = value => value === null ? "–" : value.toFixed(2);

function curve(values, low, high, kind) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  const step = 100 / Math.max(values.length - 1, 1), reach = high - low || 1;
  let pen = "M", text = "";
  values.forEach((value, at) => {
    if (value === null) { pen = "M"; return; }
    text += pen + (at * step).toFixed(2) + " " + (29 - 28 * (value - low) / reach).toFixed(2);
    pen = "L";
  });
  svg.setAttribute("viewBox", "0 0 100 30");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", kind);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "along the newest windows");
  path.setAttribute("d", text);
  svg.append(path);
  return svg;
}

function line(row, at) {
  const link = element("a", undefined, "row"), state = states[row[STATE]];
  link.href = "#stream=" + encodeURIComponent(row[KEY]);
  link.style.top = at * HEIGHT + "px";
  const drawn = row[ACCURACIES].some(value => value !== null);
  const spark = element("span", undefined, "wide-only");
  spark.append(drawn ? curve(row[ACCURACIES], 0, 1, "spark") : curve(row[DRIFTS], 0, Math.max(1, ...row[DRIFTS]), "spark"));
  link.append(element("span", state.words, "state " + state.name), element("span", row[KEY]),
    element("span", percent(row[ACCURACY])), element("span", fixed(row[DRIFT]), "wide-only"), spark,
    element("span", [row[TODO], row[WHY]].filter(Boolean).join(": "), "wide-only"));
  return link;
}

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 5);
  const last = Math.min(found.length, first + Math.ceil((list.clientHeight || 800) / HEIGHT) + 10);
  body.style.height = found.length * HEIGHT + "px";
  body.replaceChildren(...found.slice(first, last).map((row, at) => line(row, first + at)));
}

function own(row) {
  const state = states[row[STATE]];
  const facts = [["state", state.words], ["to do", row[TODO] ?? "–"], ["accuracy as served", row[NUMBERS][0] ?? "–"],
    ["unadapted", row[NUMBERS][1] ?? "–"], ["accuracy now" + (row[COUNTED] ? ", counted" : ", estimated"), percent(row[ACCURACY])],
    ["interval", row[LOW] === null ? "–" : percent(row[LOW]) + " to " + percent(row[HIGH])],
    ["drift, in deviations of the source", fixed(row[DRIFT])], ["windows", row[WINDOWS]], ["rows", row[ROWS]], ["version in use", row[VERSION]]];
  const terms = element("dl");
  for (const [name, value] of facts) {
    const fact = element("div");
    fact.append(element("dt", name), element("dd", String(value)));
    terms.append(fact);
  }
  const parts = [element("h2", row[KEY])];
  if (row[WHY]) parts.push(element("p", row[WHY], "outcome"));
  if (row[REPORT]) {
    const link = element("a", "the whole report of this stream");
    link.href = row[REPORT];
    const said = element("p");
    said.append(link);
    parts.push(said);
  }
  parts.push(terms);
  if (row[ACCURACIES].some(value => value !== null))
    parts.push(element("h3", "Accuracy along the newest windows, 0 to 100 %", "sub"), curve(row[ACCURACIES], 0, 1, "wide"));
  if (row[DRIFTS].some(value => value !== null))
    parts.push(element("h3", "Drift along the newest windows, in deviations of the source", "sub"),
      curve(row[DRIFTS], 0, Math.max(1, ...row[DRIFTS]), "wide"));
  if (row[DECISIONS]) {
    const table = element("table"), head = element("tr"), names = { d: "deployed", h: "held", r: "rolled back" };
    head.append(...["window", "decision", "accuracy", "drift"].map(name => element("th", name)));
    table.append(head);
    const first = row[WINDOWS] - row[DECISIONS].length + 1;
    [...row[DECISIONS]].forEach((letter, at) => {
      const cells = element("tr");
      cells.append(...[first + at, names[letter], percent(row[ACCURACIES][at]), fixed(row[DRIFTS][at])].map(cell => element("td", String(cell))));
      table.append(cells);
    });
    parts.push(element("h3", "Windows", "sub"), table);
  }
  return parts;
}

function show() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const words = (asked.get("q") ?? "").toLowerCase(), state = asked.get("state");
  found = rows.filter(row => (!state || states[row[STATE]].name === state) &&
    (!words || row[KEY].toLowerCase().includes(words) || (row[WHY] ?? "").toLowerCase().includes(words)));
  if (search.value.toLowerCase() !== words) search.value = asked.get("q") ?? "";
  document.querySelectorAll("[data-state]").forEach(button =>
    button.setAttribute("aria-pressed", String(button.dataset.state === (state ?? ""))));
  shown.textContent = found.length.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " streams shown";
  draw();
  const row = asked.has("stream") && rows.find(row => row[KEY] === asked.get("stream"));
  if (row) {
    detail.replaceChildren(...own(row));
    if (!dialog.open) dialog.showModal();
  } else if (dialog.open) dialog.close();
}

function ask(name, value) {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (value) asked.set(name, value); else asked.delete(name);
  history.replaceState(null, "", "#" + asked);
  show();
}

const counts = states.map((_, at) => rows.filter(row => row[STATE] === at).length);
const buttons = [["", "all", rows.length], ...states.map((state, at) => [state.name, state.words, counts[at]])];
document.getElementById("states").append(...buttons.filter(button => button[2]).map(([name, words, count]) => {
  const button = element("button", words + " " + count.toLocaleString("en"));
  button.dataset.state = name;
  button.addEventListener("click", () => { list.scrollTop = 0; ask("state", name); });
  return button;
}));
search.addEventListener("input", () => { list.scrollTop = 0; ask("q", search.value); });
list.addEventListener("scroll", draw);
addEventListener("resize", draw);
addEventListener("hashchange", show);
dialog.addEventListener("close", () => ask("stream", ""));
document.querySelector(".close").addEventListener("click", () => dialog.close());
show();
document.body.dataset.opened = performance.now().toFixed(0);
