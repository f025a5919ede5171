import type { ProbedProcess } from "../evidence.ts";
import { canary } from "./recorded-run.ts";
import { editChunks, editMemory, editProbe, editResponse, editTurn, emit } from "./spoil.ts";
import type { Mutation } from "./spoil.ts";

/** What a service may do wrong as a process and towards its clients: I6 to I12. */
export const serviceMutations: Record<string, Mutation> = {
  "a run is left alive": {
    breaks: "I6",
    spoil: (evidence) => editProbe(evidence, ({ counts }) => ({ counts: { ...counts, "live runs": 3 } })),
    says: /holds 3 more of live runs/,
  },
  "a socket is left open": {
    breaks: "I6",
    spoil: (evidence) => editProbe(evidence, ({ counts }) => ({ counts: { ...counts, TCPSocketWrap: 1 } })),
    says: /holds 1 more of TCPSocketWrap/,
  },
  "listeners pile up": {
    breaks: "I6",
    spoil: (evidence) => editProbe(evidence, () => ({ listenerWarnings: 1 })),
    says: /warned 1 time\(s\) of too many listeners/,
  },
  "the process died and came back": {
    breaks: "I7",
    spoil: (evidence) => editProbe(evidence, () => ({ pid: 4243 })),
    says: /its pid was 4242 and is 4243/,
  },
  "a rejection went uncaught": {
    breaks: "I7",
    spoil: (evidence) => editProbe(evidence, () => ({ uncaught: 2 })),
    says: /left 2 exception\(s\)/,
  },
  "a killed process left something uncaught when it was back": {
    breaks: "I7",
    spoil: (evidence) => {
      editProbe(evidence, () => ({ pid: 4243, uncaught: 1 }));
      evidence.processes = evidence.processes.map((one): ProbedProcess => ({ ...one, killed: true }));
    },
    says: /left 1 exception/,
  },
  "a status is not declared": {
    breaks: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { status: 418 }),
    says: /POST .* got 418, which is not declared/,
  },
  "a body has another form": {
    breaks: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-1", { body: "<html>" }),
    says: /got 200 with a body of another form: "<html>"/,
  },
  "a 500 comes even though upstream fails": {
    breaks: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { status: 500 }),
    says: /got 500, which is never right/,
  },
  "a 502 comes without a fault": {
    breaks: "I8",
    spoil: (evidence) => editResponse(evidence, "amber-6", { fault: undefined }),
    says: /got 502 though no fault was injected/,
  },
  "a route that is not declared answers": {
    breaks: "I8",
    spoil: (evidence) => {
      evidence.responses = [{ route: "GET /secret", status: 200 }];
    },
    says: /GET \/secret got 200, which is not declared/,
  },
  "a stream has no end": {
    breaks: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => chunks.slice(0, -1)),
    says: /stream of amber was closed without finish or error/,
  },
  "a stream goes on behind its end": {
    breaks: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks, { type: "error", error: { code: "internal" } }]),
    says: /goes on behind finish with error/,
  },
  "a tool call ends twice": {
    breaks: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks.slice(0, 4), chunks[3], ...chunks.slice(4)]),
    says: /has tool_call_end for the tool call 2, which is not open/,
  },
  "a tool call is left open": {
    breaks: "I9",
    spoil: (evidence) => editChunks(evidence, (chunks) => [...chunks.slice(0, 4), ...chunks.slice(5)]),
    says: /finishes with open tool calls: 1/,
  },
  "a key is in the log, over the border of two pieces": {
    breaks: "I10",
    spoil: (evidence) => emit(evidence, Buffer.from(canary).subarray(0, 15), Buffer.from(canary).subarray(15)),
    says: /The log holds the canary .*, plain/,
  },
  "a key is in an address": {
    breaks: "I10",
    spoil: (evidence) => emit(evidence, `GET /?key=${encodeURIComponent(canary).toLowerCase()}`),
    says: /URL-encoded/,
  },
  "a key is in JSON that writes it in ASCII": {
    breaks: "I10",
    spoil: (evidence) => emit(evidence, JSON.stringify({ key: canary }).replace("é", "\\u00E9").replaceAll("/", "\\/")),
    says: /JSON-escaped/,
  },
  "a key is in base64, behind a name": {
    breaks: "I10",
    spoil: (evidence) => emit(evidence, `Basic ${Buffer.from(`u:${canary}!`).toString("base64url")}`),
    says: /base64/,
  },
  "a key is streamed in pieces": {
    breaks: "I10",
    spoil: (evidence) =>
      editChunks(evidence, (chunks) => [...canary.split("").map((text) => ({ type: "text", text })), ...chunks]),
    says: /The stream of amber holds the canary/,
  },
  "a key is in storage": {
    breaks: "I10",
    spoil: (evidence) => editTurn(evidence, "amber-1", { apiKey: canary }),
    says: /storage's namespace turns holds the canary/,
  },
  "memory is over its bound": {
    breaks: "I11",
    spoil: (evidence) =>
      editMemory(evidence, (step) => ({ rssBytes: 1e8 + (step === 2 ? 9e7 * 6 : 0) }), { rssRiseBytes: Infinity }),
    says: /resident memory in bytes is 640000000 and may be 600000000/,
  },
  "resident memory rises too far": {
    breaks: "I11",
    spoil: (evidence) => editMemory(evidence, (step) => ({ rssBytes: 1e8 + step * 6e7 })),
    says: /the rise of resident memory in bytes is 120000000/,
  },
  "the heap grows with each request": {
    breaks: "I11",
    spoil: (evidence) => editMemory(evidence, (step) => ({ heapBytes: 2e7 + step * 400_000 })),
    says: /slope in bytes per request is 4 and may be 2/,
  },
  "a request holds up the event loop": {
    breaks: "I12",
    spoil: (evidence) => editProbe(evidence, () => ({ eventLoopDelayP99Ms: 100 })),
    says: /held up its event loop for 100 ms/,
  },
  "a request stops the event loop": {
    breaks: "I12",
    spoil: (evidence) => editProbe(evidence, () => ({ eventLoopDelayP99Ms: 5000 })),
    says: /held up its event loop for 5000 ms/,
  },
};
