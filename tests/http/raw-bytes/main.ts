// Records the raw bytes of every endpoint, and compares two recordings:
//   node --conditions=@troupe/source tests/http/raw-bytes/main.ts record <file>
//   node --conditions=@troupe/source tests/http/raw-bytes/main.ts compare <file> <file>
// Two recordings of one program are the same. `make-service.ts` alone knows how the service is made.
import { readFile, writeFile } from "node:fs/promises";
import { compare } from "./compare.ts";
import { makeService } from "./make-service.ts";
import { record } from "./record.ts";
import { table } from "./table/table.ts";

const [command, file, other] = process.argv.slice(2);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function recordTo(path: string): Promise<void> {
  const service = await makeService();
  try {
    await writeFile(path, await record(service, table));
  } finally {
    await service.close();
  }
  print(`${table.length} requests are recorded in ${path}.`);
}

async function compareFiles(one: string, two: string): Promise<void> {
  const differences = compare(await readFile(one, "utf8"), await readFile(two, "utf8"));
  for (const { title, lines } of differences) print([`## ${title}`, ...lines, ""].join("\n"));
  print(`${differences.length} sections differ.`);
  if (differences.length > 0) process.exitCode = 1;
}

if (command === "record" && file !== undefined) await recordTo(file);
else if (command === "compare" && file !== undefined && other !== undefined) await compareFiles(file, other);
else throw new Error("Expected record <file>, or compare <file> <file>.");
