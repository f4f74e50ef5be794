// The output of skein export parquet, read by hyparquet, has the rows of skein export csv.
//     parquet_test.mjs SKEIN FOLDER TRACE...      FOLDER has node_modules/hyparquet
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [skein, folder, ...traces] = process.argv.slice(2);
const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(
  pathToFileURL(join(folder, "node_modules/hyparquet/src/node.js")));
const scratch = mkdtempSync(join(tmpdir(), "skein-parquet-"));
let failures = 0;
const expect = (what, good, ...seen) => {
  if (good) return;
  console.log(`FAILED: ${what}`, ...seen);
  failures++;
};

// RFC 4180.
function parseCsv(text) {
  const rows = [[]];
  let cell = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') cell += text[++i];
    else if (c === '"') quoted = !quoted;
    else if (quoted || (c !== "," && c !== "\r" && c !== "\n")) cell += c;
    else if (c === ",") rows.at(-1).push(cell), cell = "";
    else if (c === "\n") rows.at(-1).push(cell), cell = "", rows.push([]);
  }
  rows.pop();
  return rows;
}

// A text as a CSV cell: base/escape.h.
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const hidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const escape = (c) => {
  const code = c.charCodeAt(0).toString(16);
  return c < "\x80" ? `\\x${code.padStart(2, "0")}` : `\\u{${code.padStart(4, "0")}}`;
};
const csvText = (text) =>
  (/^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/.test(text) && !isNumber.test(text) ? "'" : "") + text.replace(hidden, escape);

// hyparquet reads large unsigned 64-bit numbers as signed ones.
const cellText = (value, type) =>
  value === null || value === undefined ? ""
    : type === "UINT_64" ? BigInt.asUintN(64, BigInt(value)).toString()
      : typeof value === "string" ? csvText(value) : String(value);

for (const trace of traces)
  for (const table of ["events", "tasks"]) {
    const file = join(scratch, `${table}.parquet`);
    const run = (...words) => execFileSync(skein, ["export", ...words], { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });
    run("parquet", trace, "--table", table, "-o", file);
    const [header, ...want] = parseCsv(run("csv", trace, "--table", table).toString());
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    const columns = metadata.schema.slice(1);
    expect(`${trace} ${table}: columns`, columns.map((c) => c.name).join() === header.join(), columns, header);
    const rows = await parquetReadObjects({ file: buffer });
    expect(`${trace} ${table}: rows`, rows.length === want.length && want.length > 0, rows.length, want.length);
    const got = rows.map((row) => columns.map((c) => cellText(row[c.name], c.converted_type)));
    const bad = want.findIndex((row, i) => row.join("\0") !== got[i]?.join("\0"));
    expect(`${trace} ${table}: cells`, bad === -1, want[bad], got[bad]);
  }
rmSync(scratch, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
