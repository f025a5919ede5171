import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";
import assert from "node:assert/strict";
import { assertJson } from "./anything-said.ts";
import type { OddModel, Said } from "./anything-said.ts";
import { models, toFrame } from "./vendor-events.ts";
import type { Dialect } from "./vendor-events.ts";

/** A body or an event with placeholders, in which the text of arguments and of usage is written as it is. */
type Written = { values: unknown[]; raw: Map<string, string> };

/** A dialect, or one whose answers also have thinking with a signature. */
export type OddDialect = Dialect | "Anthropic with thinking";

/** Starts a vendor that says anything, and its provider. A strict vendor refuses what a real one refuses; Gemini's
 * would refuse calls without a signature. */
export async function startOddVendor(kind: OddDialect): Promise<OddModel & { close: () => Promise<void> }> {
  const dialect = kind === "Anthropic with thinking" ? "Anthropic" : kind;
  const thinking = kind === dialect ? undefined : "Hm.";
  const vendor = await FakeVendor.start({ strict: kind !== "Gemini" && kind === dialect });
  let odd: Said | undefined;
  vendor.respond((exchange): PlannedReply => {
    const said = odd;
    odd = undefined;
    return said === undefined
      ? { answer: "Done." }
      : { raw: rawReply(dialect, { ...said, thinking }, isStreamed(exchange)) };
  });
  let checked = 0;
  return {
    model: models[dialect](vendor.url),
    next: (answer) => (odd = answer),
    check: () => {
      const exchanges = vendor.exchanges.slice(checked);
      checked = vendor.exchanges.length;
      for (const { request, refusal } of exchanges) {
        assert.equal(refusal, undefined);
        assertJson(request.body, "the request");
        assertLegalNames(request.body);
      }
    },
    close: () => vendor.close(),
  };
}

function isStreamed({ request }: Exchange): boolean {
  const { stream } = request.body as { stream?: boolean };
  return stream === true || request.url.includes("streamGenerateContent");
}

/** Asserts that the tool calls in a request have names that their vendor takes. */
function assertLegalNames(given: unknown): void {
  if (typeof given !== "object" || given === null) return;
  const { type, name, functionCall } = given as { type?: unknown; name?: unknown; functionCall?: { name?: unknown } };
  if (type === "tool_use" || type === "function_call") assert.match(String(name), /^[\w-]{1,64}$/);
  if (functionCall !== undefined) assert.match(String(functionCall.name), /^[A-Za-z_][\w.:-]{0,127}$/);
  for (const part of Object.values(given)) assertLegalNames(part);
}

function rawReply(dialect: Dialect, said: Thought, isStream: boolean) {
  const { values, raw } = isStream ? streams[dialect](said) : wholes[dialect](said);
  const type = isStream && dialect !== "Ollama" ? "text/event-stream" : "application/json";
  const frames = values.map((each) => (isStream ? toFrame(dialect, each as object) : JSON.stringify(each)));
  const write = (frame: string) =>
    [...raw].reduce((text, [mark, json]) => text.replaceAll(`"${mark}"`, () => json), frame);
  return { status: 200, headers: { "content-type": type }, frames: frames.map(write) };
}

function written(): Written & { json: (text: string) => string } {
  const raw = new Map<string, string>();
  const json = (text: string) => {
    const mark = `@@${raw.size}@@`;
    raw.set(mark, isJson(text) ? text : "null");
    return mark;
  };
  return { values: [], raw, json };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An answer of a model, with its thinking where it has some. */
type Thought = Said & { thinking: string | undefined };

type Writer = (said: Thought) => Written;

/** The signature of all thinking. */
const signature = "c2lnbmVk";

const streams: Readonly<Record<Dialect, Writer>> = {
  Chat({ pieces, calls, metrics }) {
    const { values, raw, json } = written();
    const delta = (fields: object, more: object = {}) =>
      values.push({ choices: [{ index: 0, delta: fields, ...more }] });
    for (const content of pieces) delta({ content });
    for (const [index, { id, name, args, splitAt }] of calls.entries()) {
      delta({ tool_calls: [{ index, id, function: { name, arguments: args.slice(0, splitAt) } }] });
      delta({ tool_calls: [{ index, function: { arguments: args.slice(splitAt) } }] });
    }
    delta({}, { finish_reason: "stop" });
    values.push({ choices: [], usage: json(metrics) });
    return { values, raw };
  },
  Responses({ pieces, calls, metrics }) {
    const { values, raw, json } = written();
    for (const delta of pieces) values.push({ type: "response.output_text.delta", output_index: 0, delta });
    for (const [index, { id, name, args, splitAt }] of calls.entries()) {
      const [output_index, item_id] = [index + 1, `fc_${index}`];
      const item = { type: "function_call", id: item_id, call_id: id, name };
      const type = "response.function_call_arguments.delta";
      values.push({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } });
      values.push({ type, item_id, output_index, delta: args.slice(0, splitAt) });
      values.push({ type, item_id, output_index, delta: args.slice(splitAt) });
      values.push({ type: "response.output_item.done", output_index, item: { ...item, arguments: args } });
    }
    const response = { id: "r", status: "completed", output: [], usage: json(metrics) };
    values.push({ type: "response.completed", response });
    return { values, raw };
  },
  Anthropic({ pieces, calls, metrics, thinking }) {
    const { values, raw, json } = written();
    const block = (index: number, start: object, deltas: object[]) => {
      values.push({ type: "content_block_start", index, content_block: start });
      for (const delta of deltas) values.push({ type: "content_block_delta", index, delta });
      values.push({ type: "content_block_stop", index });
    };
    values.push({ type: "message_start", message: { id: "m", model: "claude", usage: json(metrics) } });
    if (thinking !== undefined) block(99, { type: "thinking", thinking, signature }, []);
    block(
      0,
      { type: "text", text: "" },
      pieces.map((text) => ({ type: "text_delta", text })),
    );
    for (const [index, { id, name, args, splitAt }] of calls.entries()) {
      const parts = [args.slice(0, splitAt), args.slice(splitAt)];
      const deltas = parts.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block(index + 1, { type: "tool_use", id, name, input: {} }, deltas);
    }
    values.push({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } });
    values.push({ type: "message_stop" });
    return { values, raw };
  },
  Gemini({ pieces, calls, metrics }) {
    const { values, raw, json } = written();
    const parts = (...given: object[]) =>
      values.push({ candidates: [{ index: 0, content: { role: "model", parts: given } }] });
    for (const text of pieces) parts({ text });
    for (const { id, name, args } of calls)
      parts({ functionCall: { id, name, args: json(args) }, thoughtSignature: signature });
    values.push({ candidates: [{ index: 0, finishReason: "STOP" }], usageMetadata: json(metrics) });
    return { values, raw };
  },
  Ollama({ pieces, calls, metrics }) {
    const { values, raw, json } = written();
    for (const content of pieces) values.push({ message: { content } });
    for (const { id, name, args } of calls) {
      values.push({ message: { tool_calls: [{ id, function: { name, arguments: json(args) } }] } });
    }
    values.push({ done: true, done_reason: "stop", metrics: json(metrics) });
    return { values, raw };
  },
};

const wholes: Readonly<Record<Dialect, Writer>> = {
  Chat({ pieces, calls, metrics }) {
    const { raw, json } = written();
    const tool_calls = calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } }));
    const message = { content: pieces.join(""), tool_calls };
    return { values: [{ choices: [{ index: 0, message, finish_reason: "stop" }], usage: json(metrics) }], raw };
  },
  Responses({ pieces, calls, metrics }) {
    const { raw, json } = written();
    const content = [{ type: "output_text", text: pieces.join(""), annotations: [] }];
    const output = [
      { type: "message", id: "msg_1", role: "assistant", content },
      ...calls.map(({ id, name, args }, index) => {
        return { type: "function_call", id: `fc_${index}`, call_id: id, name, arguments: args };
      }),
    ];
    return { values: [{ id: "r", status: "completed", output, usage: json(metrics) }], raw };
  },
  Anthropic({ pieces, calls, metrics, thinking }) {
    const { raw, json } = written();
    const thought = thinking === undefined ? [] : [{ type: "thinking", thinking, signature }];
    const uses = calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: json(args) }));
    const content = [...thought, { type: "text", text: pieces.join("") }, ...uses];
    const usage = json(metrics);
    return { values: [{ id: "m", type: "message", model: "claude", content, stop_reason: "end_turn", usage }], raw };
  },
  Gemini({ pieces, calls, metrics }) {
    const { raw, json } = written();
    const asked = calls.map(({ id, name, args }) => ({
      functionCall: { id, name, args: json(args) },
      thoughtSignature: signature,
    }));
    const content = { role: "model", parts: [{ text: pieces.join("") }, ...asked] };
    return {
      values: [{ candidates: [{ index: 0, content, finishReason: "STOP" }], usageMetadata: json(metrics) }],
      raw,
    };
  },
  Ollama({ pieces, calls, metrics }) {
    const { raw, json } = written();
    const tool_calls = calls.map(({ id, name, args }) => ({ id, function: { name, arguments: json(args) } }));
    const message = { content: pieces.join(""), tool_calls };
    return { values: [{ message, done: true, done_reason: "stop", metrics: json(metrics) }], raw };
  },
};
