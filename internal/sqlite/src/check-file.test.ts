import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { checkEncoding, watchPath } from "./check-file.ts";
import { createPrivateFile } from "./create-private-file.ts";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "a.db");
}

it.each(["UTF-16le", "UTF-16be"])("checkEncoding refuses %s, and takes UTF-8", (encoding) => {
  const [refused, taken] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")];
  refused.exec(`pragma encoding = '${encoding}'`);

  expect(() => checkEncoding(refused, "a.db")).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message: `The SQLite file a.db must be encoded in UTF-8, got ${encoding}. Use another file.`,
    }),
  );
  expect(() => checkEncoding(taken, "a.db")).not.toThrow();
  refused.close();
  taken.close();
});

it("watchPath notices a file that is gone or replaced, and is content once it is back", () => {
  const file = newFile();
  writeFileSync(file, "");
  const check = watchPath(file);
  const failure = expect.objectContaining({
    code: "storage_unavailable",
    message: `The SQLite file ${file} was moved or removed while it was open. Put it back and restart.`,
  });

  expect(check).not.toThrow();
  renameSync(file, `${file}.away`);
  expect(check).toThrow(failure);
  writeFileSync(file, "");
  expect(check).toThrow(failure);
  renameSync(`${file}.away`, file);
  writeFileSync(file, "more");
  expect(check).not.toThrow();
});

it("createPrivateFile makes an empty file for its owner alone, whatever the umask", () => {
  const file = newFile();
  const before = process.umask(0o777);
  try {
    createPrivateFile(file);
  } finally {
    process.umask(before);
  }

  expect([statSync(file).mode & 0o777, statSync(file).size]).toEqual([0o600, 0]);
});

it("createPrivateFile leaves a file that exists as it is", () => {
  const file = newFile();
  writeFileSync(file, "kept");
  chmodSync(file, 0o644);
  createPrivateFile(file);

  expect([statSync(file).mode & 0o777, statSync(file).size]).toEqual([0o644, 4]);
});

it("createPrivateFile creates nothing for a database in memory or in a folder that does not exist", () => {
  const missing = join(newFile(), "b.db");
  createPrivateFile(":memory:");
  createPrivateFile(missing);

  expect([existsSync(":memory:"), existsSync(missing)]).toEqual([false, false]);
});
