import { objectOf, wordOf } from "@troupe-internal/vendor-fakes";
import { CanarySearch } from "../canary-search.ts";
import type { Emitted, Evidence, Invariant, RecordedStream } from "../evidence.ts";

/** I10: no key leaves the service but to its vendor. */
export const noCanary: Invariant = {
  promise: "No canary key is in anything that the service lets out: answers, streams, logs, events, storage.",
  needs: ["canaries", "emitted"],
  *breaches(evidence: Evidence) {
    const search = new CanarySearch(evidence.canaries ?? []);
    for (const { place, text } of textsOf(evidence)) {
      for (const { canary, form } of search.in(text)) yield `${place} holds the canary ${canary}, ${form}.`;
    }
  },
};

function* textsOf({ emitted = [], streams = [], operations, storage, observations = [] }: Evidence) {
  for (const { place, chunks } of emitted) yield { place, text: joined(chunks) };
  for (const stream of streams) yield { place: `The stream ${stream.name}`, text: saidIn(stream) };
  for (const operation of operations) {
    if (operation.type !== "invoke") yield { place: `Operation ${operation.id}`, text: JSON.stringify(operation) };
  }
  for (const [namespace, entries] of Object.entries(storage)) {
    yield { place: `The storage's namespace ${namespace}`, text: JSON.stringify(entries) };
  }
  for (const { place, text } of observations) yield { place, text };
}

/** As one text, so that no border of two pieces hides anything. */
function joined(chunks: Emitted["chunks"]): string {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk))).toString();
}

/** A stream's texts and arguments, each put together: a canary may be spread over many chunks. */
function saidIn({ chunks }: RecordedStream): string {
  const parts = ["text", "argumentsDelta"].map((field) =>
    chunks.map((chunk) => wordOf(objectOf(chunk)[field])).join(""),
  );
  return [...parts, JSON.stringify(chunks)].join("\n");
}
