import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dumpStorage } from "@troupe-internal/run-checker";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { RunOutput } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, costOf, firstQuestion, firstTurns, furtherTurns, pdf, pdfInWords, png } from "./conversation.ts";
import { stateMarks } from "./state-marks.ts";
import { askedOf, connect, vendorNames } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

const pairs = vendorNames.flatMap((first) => vendorNames.map((second) => [first, second] as const));

describe("a conversation with thoughts, tools, an image and a PDF", () => {
  it.each(pairs)("continues from its file when it began at %s and goes on at %s", async (first, second) => {
    const { vendor, outputs, stored } = await converse(first, second);
    const bodies = vendor.exchanges.map(({ request }) => request.body);
    const [before, after] = [bodies.slice(0, 3), bodies.slice(3)];

    vendor.assertDone();
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(vendor.exchanges.map(askedOf)).toEqual([first, first, first, second, second]);
    expect(outputs.map(summaryOf)).toEqual([
      { text: "It rains in Oslo.", results: ["Found maps.", "Found clouds.", "Measured rain."] },
      { text: "Leave the umbrella.", results: ["Measured wind."] },
    ]);
    expect(outputs.map(({ usage }) => usage)).toMatchObject([costOf(1, 2, 3), costOf(4, 5)]);

    // State of a vendor went back to it within the run, and to no vendor later.
    const [marks, further] = [stateMarks(before), stateMarks(after.slice(1))];
    expect(marks.length).toBeGreaterThanOrEqual(2);
    expect(further.length).toBeGreaterThanOrEqual(1);
    for (const mark of [...marks, "Pondering"]) expect(JSON.stringify([after, stored])).not.toContain(mark);
    expect(JSON.stringify([after[0], stored])).not.toContain("Considering");

    for (const body of after) expect(historyIn(body, first)).toEqual(historyFor(first, second));
  });
});

/** Runs a first turn at one vendor as a stream, and a second at another as a whole. The file is closed between them. */
async function converse(first: VendorName, second: VendorName) {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const folder = mkdtempSync(join(tmpdir(), "vendors-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vendor.say(...firstTurns(first), ...furtherTurns(second));
  const run = { sessionId: "oslo", apiKey: "key-1" };

  const begun = new SqliteStorage(join(folder, "sessions.db"));
  const begin = agentOf(connect[first](vendor.url), begun).stream(firstQuestion(first), run);
  const outputs = [await begin.output];
  await begun.close();

  const reopened = new SqliteStorage(join(folder, "sessions.db"));
  outputs.push(await agentOf(connect[second](vendor.url), reopened).run("And now?", run));
  const stored = await dumpStorage(reopened);
  await reopened.close();
  return { vendor, outputs, stored };
}

function summaryOf({ text, toolCalls }: RunOutput) {
  return { text, results: toolCalls.map(({ result }) => result) };
}

/** Finds the pieces of the first turn that a body lacks, and the form of the PDF in it. */
function historyIn(body: unknown, first: VendorName) {
  const text = JSON.stringify(body);
  const pieces = ["What do these say", "Let me look.", "look_up", "measure", "maps", "clouds", "rain", png];
  const results = ["Found maps.", "Found clouds.", "Measured rain.", "It rains in Oslo."];
  const missing = [...pieces, ...results].filter((piece) => !text.includes(piece));
  if (first === "ollama") return { missing };
  return { missing, pdf: text.includes(pdf), words: text.includes(JSON.stringify(pdfInWords).slice(1, -1)) };
}

function historyFor(first: VendorName, second: VendorName) {
  if (first === "ollama") return { missing: [] };
  return { missing: [], pdf: second !== "ollama", words: second === "ollama" };
}
