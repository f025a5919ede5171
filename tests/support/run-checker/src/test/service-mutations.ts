import type { ProbedProcess } from "../evidence.ts";
import { canary } from "./recorded-run.ts";
import { editChunks, editMemory, editProbe, editResponse, editTurn, emit } from "./spoil.ts";
import type { Mutation } from "./spoil.ts";

/** Mutants of the process and of responses, for I6 to I12. */
export const serviceMutations: Record<string, Mutation> = {
  "a run is left alive": {
    violates: "I6",
    spoil: (evidence) => editProbe(evidence, ({ counts }) => ({ counts: { ...counts, "live runs": 3 } })),
    says: /holds 3 more of live runs/,
  },
  "a socket is left open": {
    violates: "I6",
    spoil: (evidence) => editProbe(evidence, ({ counts }) => ({ counts: { ...counts, TCPSocketWrap: 1 } })),
    says: /holds 1 more of TCPSocketWrap/,
  },
  "there are too many listeners": {
    violates: "I6",
    spoil: (evidence) => editProbe(evidence, () => ({ listenerWarnings: 1 })),
    says: /warned 1 time\(s\) of too many listeners/,
  },
  "the process died and came back": {
    violates: "I7",
    spoil: (evidence) => editProbe(evidence, () => ({ pid: 4243 })),
    says: /its pid was 4242 and is 4243/,
  },
  "a rejection was not handled": {
    violates: "I7",
    spoil: (evidence) => editProbe(evidence, () => ({ uncaught: 2 })),
    says: /left 2 exception\(s\)/,
  },
  "a killed process did not handle an exception after its restart": {
    violates: "I7",
    spoil: (evidence) => {
      editProbe(evidence, () => ({ pid: 4243, uncaught: 1 }));
      evidence.processes = evidence.processes.map((one): ProbedProcess => ({ ...one, killed: true }));
    },
    says: /left 1 exception/,
  },
  "a status is not declared": {
    violates: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { status: 418 }),
    says: /POST .* got 418, which is not declared/,
  },
  "a body is not the declared one": {
    violates: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-1", { body: "<html>" }),
    says: /got 200 with an undeclared body: "<html>"/,
  },
  "a 500 is sent while upstream fails": {
    violates: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { status: 500 }),
    says: /got 500, which is never allowed/,
  },
  "a 502 is sent without a fault": {
    violates: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { fault: undefined }),
    says: /got 502 though no fault was injected/,
  },
  "an undeclared route responds": {
    violates: "I8",
    spoil: (evidence) => {
      evidence.responses = [{ route: "GET /secret", status: 200 }];
    },
    says: /GET \/secret got 200, which is not declared/,
  },
  "a stream has no end": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => chunks.slice(0, -1)),
    says: /stream of amber was closed without finish or error/,
  },
  "a stream continues after its end": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks, { type: "error", error: { code: "internal" } }]),
    says: /continues after finish with error/,
  },
  "a tool call ends twice": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks.slice(0, 5), chunks[4], ...chunks.slice(5)]),
    says: /has tool_call_end for the tool call 2, which is not open/,
  },
  "a tool call is left open": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks.slice(0, 6), ...chunks.slice(7)]),
    says: /finishes with open tool calls: 1/,
  },
  "a tool call ends without its result": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => chunks.toSpliced(3, 1)),
    says: /ends the tool call 2 without a result/,
  },
  "a tool call goes on after its result": {
    violates: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => chunks.toSpliced(4, 0, chunks[3])),
    says: /has tool_result for the tool call 2 after its result/,
  },
  "a key is in the log, split over two pieces": {
    violates: "I10",
    spoil: (evidence) => emit(evidence, Buffer.from(canary).subarray(0, 15), Buffer.from(canary).subarray(15)),
    says: /The log holds the canary .*, plain/,
  },
  "a key is in a URL": {
    violates: "I10",
    spoil: (evidence) => emit(evidence, `GET /?key=${encodeURIComponent(canary).toLowerCase()}`),
    says: /URL-encoded/,
  },
  "a key is in JSON with ASCII escapes": {
    violates: "I10",
    spoil: (evidence) => emit(evidence, JSON.stringify({ key: canary }).replace("é", "\\u00E9").replaceAll("/", "\\/")),
    says: /JSON-escaped/,
  },
  "a key is in base64, after a user name": {
    violates: "I10",
    spoil: (evidence) => emit(evidence, `Basic ${Buffer.from(`u:${canary}!`).toString("base64url")}`),
    says: /base64/,
  },
  "a key is streamed in pieces": {
    violates: "I10",
    spoil: (evidence) =>
      editChunks(evidence, (chunks) => [...canary.split("").map((text) => ({ type: "text", text })), ...chunks]),
    says: /The stream of amber holds the canary/,
  },
  "a key is in storage": {
    violates: "I10",
    spoil: (evidence) => editTurn(evidence, "amber-1", { apiKey: canary }),
    says: /storage's namespace turns holds the canary/,
  },
  "memory is over its limit": {
    violates: "I11",
    spoil: (evidence) =>
      editMemory(evidence, (step) => ({ rssBytes: 1e8 + (step === 2 ? 9e7 * 6 : 0) }), { rssRiseBytes: Infinity }),
    says: /resident memory in bytes is 640000000 and the limit is 600000000/,
  },
  "resident memory rises too far": {
    violates: "I11",
    spoil: (evidence) => editMemory(evidence, (step) => ({ rssBytes: 1e8 + step * 6e7 })),
    says: /the rise of resident memory in bytes is 120000000/,
  },
  "the heap grows with each request": {
    violates: "I11",
    spoil: (evidence) => editMemory(evidence, (step) => ({ heapBytes: 2e7 + step * 400_000 })),
    says: /slope in bytes per request is 4 and the limit is 2/,
  },
  "a request blocks the event loop for 100 ms": {
    violates: "I12",
    spoil: (evidence) => editProbe(evidence, () => ({ eventLoopDelayP99Ms: 100 })),
    says: /blocked its event loop for 100 ms/,
  },
  "a request blocks the event loop for 5 s": {
    violates: "I12",
    spoil: (evidence) => editProbe(evidence, () => ({ eventLoopDelayP99Ms: 5000 })),
    says: /blocked its event loop for 5000 ms/,
  },
};
