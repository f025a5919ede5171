import { describe, expect, it } from "vitest";
import type { GrammarError } from "./grammar.ts";
import { SocketGrammar } from "./socket-events.ts";
import type { SocketEvent } from "./socket-events.ts";
import { ruleBroken } from "./test/rule-broken.ts";

const ids = { runId: "r", name: "a", sessionId: "s" };

/** Makes an event of the run, with the id that a kept one has. */
function event(name: string, id?: string, more: object = {}): SocketEvent {
  return { name: `agent.${name}`, payload: { ...ids, toolCallId: "c", ...(id !== undefined && { id }), ...more } };
}

const chunk = event("chunk");
const call = [event("tool.call"), event("tool.progress"), event("tool.result"), event("tool.done")];
const done = event("done");

const broken: [rule: string, problem: string, events: SocketEvent[]][] = [
  ["after-end", "an end that comes twice", [chunk, done, done]],
  ["after-end", "text behind an error", [event("error"), chunk]],
  ["known-event", "an event that the gateway does not have", [event("finish")]],
  ["has-ids", "an event without its session", [{ name: "agent.chunk", payload: { runId: "r", name: "a" } }]],
  ["id-order", "an id that goes back", [event("chunk", "7.0"), event("chunk", "6.0")]],
  ["id-order", "an id that comes twice", [event("chunk", "7.0"), event("done", "7.0")]],
  ["call-before", "a result before its call", [event("tool.result"), done]],
  ["one-result", "a result that comes twice", [...call.slice(0, 3), event("tool.result")]],
  ["end-before-result", "a call that is done without a result", [event("tool.call"), event("tool.done")]],
  ["call-over", "a call that is done twice", [...call, event("tool.done")]],
  ["one-start", "a call that comes twice", [event("tool.call"), event("tool.call")]],
  ["open-calls", "the end of a run with an open call", [event("tool.call"), done]],
];

/** Returns the rule that a client's further events break, behind what it has received and sent. */
function ruleBehind(received: SocketEvent[], sent: [name: string, payload: object], more: SocketEvent[]): unknown {
  const grammar = new SocketGrammar();
  for (const each of received) grammar.read(each);
  grammar.send(...sent);
  try {
    for (const each of more) grammar.read(each);
  } catch (error) {
    return (error as GrammarError).rule;
  }
  return undefined;
}

describe("SocketGrammar", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new SocketGrammar(), events, false)).toBe(rule);
  });

  it("takes runs of one client that interleave, each with its calls and its end", () => {
    const other = [chunk, ...call, done].map(({ name, payload }) => ({ name, payload: { ...payload, runId: "q" } }));
    const both = [chunk, ...call, done].flatMap((each, index) => [each, other[index] as SocketEvent]);

    expect(ruleBroken(new SocketGrammar(), both, false)).toBeUndefined();
  });

  it("takes refusals, which are no events of a run, also behind its end", () => {
    const refused = { name: "agent.error", payload: { runId: "r", error: "No.", code: "not_found" } };

    expect(ruleBroken(new SocketGrammar(), [done, refused, refused], false)).toBeUndefined();
  });

  it("takes the events of a run anew when the client attaches to it, once, and then judges them as before", () => {
    const first = [event("chunk", "1.0"), event("done", "2.0")];

    expect(ruleBehind(first, ["agent.attach", { runId: "r" }], first)).toBeUndefined();
    expect(ruleBehind(first, ["agent.attach", { runId: "q" }], first)).toBe("after-end");
    expect(ruleBehind(first, ["agent.attach", { runId: "r" }], [...first, ...first])).toBe("after-end");
    expect(ruleBehind(first, ["agent.run", { idempotencyKey: "k" }], first)).toBeUndefined();
    const tail = [event("tool.result", "3.0"), event("tool.done", "4.0"), event("done", "5.0")];
    expect(ruleBehind([], ["agent.attach", { runId: "r", after: "2.0" }], tail)).toBeUndefined();
    expect(ruleBehind([], ["agent.attach", { runId: "r" }], tail)).toBe("call-before");
  });
});
