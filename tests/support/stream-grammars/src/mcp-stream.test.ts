import { describe, expect, it } from "vitest";
import { McpGrammar } from "./mcp-stream.ts";
import type { McpMessage } from "./mcp-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

const message = (fields: object): McpMessage => ({ jsonrpc: "2.0", ...fields });
const progress = (value: number, progressToken: string | number = 1): McpMessage =>
  message({ method: "notifications/progress", params: { progressToken, progress: value } });
const status = (state: string): McpMessage =>
  message({ method: "notifications/tasks/status", params: { taskId: "t", status: state } });
const response = (id = 1): McpMessage => message({ id, result: {} });

const broken: [rule: string, problem: string, messages: McpMessage[]][] = [
  ["no-end", "no response", [progress(1)]],
  ["after-end", "a response that comes twice", [response(), response()]],
  ["after-end", "progress behind the response", [progress(1), response(), progress(2)]],
  ["json-rpc", "what is no message", [{ id: 1, result: {} }]],
  ["one-answer", "neither a result nor an error", [message({ id: 1 })]],
  ["progress-rises", "progress that goes back", [progress(2), progress(1), response()]],
  ["progress-rises", "progress that stays", [progress(1), progress(1), response()]],
  ["task-over", "the status of a task that is over", [status("completed"), status("working"), response()]],
];

describe("McpGrammar of an answer", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, messages) => {
    expect(ruleBroken(new McpGrammar({ isAnswer: true }), messages)).toBe(rule);
  });

  it("takes progress that rises, the status of a task and questions to the client, and then the response", () => {
    const question = message({ id: 1, method: "elicitation/create", params: {} });
    const messages = [progress(1), status("working"), question, progress(2), status("completed"), response()];

    expect(ruleBroken(new McpGrammar({ isAnswer: true }), messages)).toBeUndefined();
  });
});

describe("McpGrammar of a connection", () => {
  /** Returns the rule that messages break on a connection whose client has sent requests with the tokens 1 and 2. */
  const onConnection = (...messages: McpMessage[]): string | undefined => {
    const grammar = new McpGrammar();
    for (const id of [1, 2])
      grammar.send(message({ id, method: "tools/call", params: { _meta: { progressToken: id } } }));
    return ruleBroken(grammar, messages);
  };

  it("takes responses in any order, each with its own progress, and ends at any time", () => {
    expect(onConnection(progress(1), progress(1, 2), response(2), progress(2), response())).toBeUndefined();
    expect(onConnection(progress(1))).toBeUndefined();
  });

  it("refuses progress of a request that is answered, and a response that comes twice", () => {
    expect(onConnection(response(), progress(1))).toBe("progress-open");
    expect(onConnection(progress(1, 3))).toBe("progress-open");
    expect(onConnection(response(), response())).toBe("one-response");
  });
});
