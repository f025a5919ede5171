import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestChild } from "@troupe-internal/fault-tools";
import { expect, it, onTestFinished } from "vitest";
import { openDocs, versionsOf } from "./knowledge-versions.ts";

const isReady = (message: unknown): message is string => message === "ready";

it("a document that four processes add at once is always of one version, with no piece of another [knowledge.replace]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-knowledge-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "docs.db");
  const children = await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      return await TestChild.start(new URL("knowledge-child.ts", import.meta.url), { args: [file, String(writer)] });
    }),
  );
  onTestFinished(async () => void (await Promise.all(children.map(async (child) => await child.close()))));
  await Promise.all(children.map(async (child) => await child.next(isReady)));
  const docs = openDocs(file);
  const versions = new Set<string | undefined>([0, 1, 2, 3].flatMap(versionsOf));
  const ends = Promise.all(children.map(async (child) => await child.exit)).then((exits) => ({ exits }));
  for (const child of children) child.send({ begin: true });

  let end: Awaited<typeof ends> | undefined;
  const seen = new Set<string | undefined>();
  while (end === undefined) {
    const page = await docs.get("page");
    if (page !== null) seen.add(page.content);
    end = await Promise.race([ends, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
  }
  const output = children.map((child) => child.output.toString()).join("");
  expect(end.exits, output).toEqual(children.map(() => ({ code: 0, signal: null })));
  expect([...seen].filter((content) => !versions.has(content))).toEqual([]);
  const page = await docs.get("page");
  const found = await docs.search("Writer", { topK: 1000 });
  const ids = found.map(({ document }) => document.id).toSorted();
  const pieces = Array.from({ length: ids.length }, (_, index) => `page#${index + 1}`).toSorted();
  expect(versions.has(page?.content)).toBe(true);
  expect(ids).toEqual(page?.embedding === undefined ? pieces : ["page"]);
  for (const { document } of found) expect(page?.content).toContain(document.content);
  await docs.close();
});
