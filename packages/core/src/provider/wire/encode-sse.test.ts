import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSse, encodeSseComment } from "./encode-sse.ts";
import type { SseFields } from "./encode-sse.ts";
import { SseParser } from "./read-sse.ts";

function read(text: string) {
  return [...new SseParser().push(Buffer.from(text))];
}

const forgeries = [
  '\n\ndata: {"type":"finish"}\n\n',
  '\r\rdata: {"type":"finish"}\r\r',
  "\r\n\r\nevent: finish\r\ndata: x\r\n\r\n",
  "a\rb",
  "\n",
  "a\n",
  "\u2028data: x\u2029\u0085",
  "\uFEFFdata: x",
  ": no comment",
];

describe("encodeSse", () => {
  it("encodes an event with each field on its own line", () => {
    expect(encodeSse({ data: "{}" })).toBe("data: {}\n\n");
    expect(encodeSse({ id: 7, event: "step", data: "a" })).toBe("id: 7\nevent: step\ndata: a\n\n");
    expect(encodeSse({ data: "a\nb\r\nc\rd" })).toBe("data: a\ndata: b\ndata: c\ndata: d\n\n");
  });

  it.each(forgeries)("encodes %j as the data of exactly one event", (text) => {
    const json = JSON.stringify({ type: "text", text });

    expect(read(encodeSse({ data: text }))).toEqual([{ data: text.replace(/\r\n?/g, "\n") }]);
    expect(read(encodeSse({ data: json }))).toEqual([{ data: json }]);
  });

  it.each([{ id: "a\nb" }, { id: "a\0" }, { event: "a\rb" }, { event: "a\n\ndata: b" }])("refuses %j", (fields) => {
    expect(() => encodeSse({ ...fields, data: "" })).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: `The ${Object.keys(fields).join()} of a server-sent event must not hold a line break or NUL. Put such text in data.`,
        fields: { field: Object.keys(fields)[0] },
      }),
    );
  });

  it("encodes events that are decoded unchanged, whatever the text", () => {
    const name = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n\0]/.test(text));
    const data = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\n", "\r", "\r\n", ...forgeries)));
    const event = fc.record(
      { id: name, event: name, data: data.map((parts) => parts.join("")) },
      { requiredKeys: ["data"] },
    );

    fc.assert(
      fc.property(fc.array(event), (events) => {
        expect(read(events.map(encodeSse).join(encodeSseComment("")))).toEqual(asRead(events));
      }),
    );
  });
});

describe("encodeSseComment", () => {
  it.each(["heartbeat", "", ...forgeries])("encodes %j so that no event is read", (text) => {
    const events = read(encodeSseComment(text) + encodeSse({ data: "a" }));

    expect(events).toEqual([{ data: "a" }]);
  });
});

/** The events that readers get: an id holds for the events after it, empty fields are none, and line breaks are `\n`. */
function asRead(events: SseFields[]) {
  let last: SseFields["id"] = "";
  return events.map(({ id, event, data }) => {
    last = id ?? last;
    const text = data.replace(/\r\n?/g, "\n");
    return { ...(last !== "" && { id: last }), ...(event && { event }), data: text };
  });
}

it.each<[SseFields, string]>([
  [{ id: 0, data: "" }, "id: 0\ndata: \n\n"],
  [{ id: "", event: "", data: "a" }, "id: \nevent: \ndata: a\n\n"],
  [{ data: "\n" }, "data: \ndata: \n\n"],
  [{ data: "a\u2028b\0" }, "data: a\u2028b\0\n\n"],
])("encodeSse writes %j as %j", (event, text) => {
  expect(encodeSse(event)).toBe(text);
});

it.each([
  ["", ": \n\n"],
  ["a\r\nb\rc", ": a\n: b\n: c\n\n"],
])("encodeSseComment writes %j as %j", (comment, text) => {
  expect(encodeSseComment(comment)).toBe(text);
});
