import { citedPages } from "../hosted-calls.ts";
import type { HostedCall } from "../hosted-calls.ts";
import { objectOf } from "../json-body.ts";
import { sign } from "../signature.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";

/** A call of one of the vendor's own tools, with its result. */
export type HostedItem =
  | {
      id: string;
      type: "web_search_call";
      status: "completed";
      action: { type: "search"; query: string; queries: string[]; sources?: { type: "url"; url: string }[] };
    }
  | {
      id: string;
      type: "code_interpreter_call";
      status: "completed";
      code: string;
      container_id: string;
      outputs: { type: "logs"; logs: string }[] | null;
    };

/** Returns the items of the vendor's own tools in the answer to a request, with the details that `include` names. */
export function hostedItems({ hosted, isReasoned }: AnswerBlocks, seed: string, body: unknown): HostedItem[] {
  const { include } = objectOf(body);
  const isTold = (detail: string) => Array.isArray(include) && include.includes(detail);
  return hosted.map((call, index) => {
    const place = `${isReasoned ? "r_" : ""}${seed}_${index}`;
    const status = "completed" as const;
    if (call.tool === "web_search") {
      const { query, pages } = call;
      const found = pages.map(({ url }) => ({ type: "url" as const, url }));
      const sources = isTold("web_search_call.action.sources") ? { sources: found } : {};
      const action = { type: "search" as const, query, queries: [query], ...sources };
      return { id: `ws_${place}_${markOf(call)}`, type: "web_search_call", status, action };
    }
    const outputs = isTold("code_interpreter_call.outputs") ? [{ type: "logs" as const, logs: call.output }] : null;
    const id = `ci_${place}_${markOf(call)}`;
    return { id, type: "code_interpreter_call", status, code: call.code, container_id: "cntr_1", outputs };
  });
}

/** Returns the end of a call's id, by which a strict vendor recognises a call that was sent back unchanged. */
export function markOf(call: Pick<Extract<HostedCall, { tool: "code" }>, "code"> | { query: string }): string {
  return sign("hosted", "query" in call ? call.query : call.code);
}

/** Returns the citations of the text of an answer. */
export function annotationsOf({ hosted }: AnswerBlocks, text: string): object[] {
  return citedPages(hosted).map((page) => ({
    type: "url_citation",
    ...page,
    start_index: 0,
    end_index: text.length,
  }));
}

/** Returns the events within a call: its progress, and its code in pieces. */
export function hostedEvents(item: HostedItem, at: object): { type: string }[] {
  const event = (name: string, fields: object = {}) => ({ type: `response.${item.type}${name}`, ...at, ...fields });
  if (item.type === "web_search_call")
    return ["in_progress", "searching", "completed"].map((name) => event(`.${name}`));
  const { code } = item;
  return [
    event(".in_progress"),
    ...[code.slice(0, 3), code.slice(3)].map((delta) => event("_code.delta", { delta, obfuscation: "x" })),
    event("_code.done", { code }),
    event(".interpreting"),
    event(".completed"),
  ];
}
