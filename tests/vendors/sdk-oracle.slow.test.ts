import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { VendorAnswer } from "@troupe-internal/vendor-fakes";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { contentRows } from "./oracle/content-rows.ts";
import { oracles, question } from "./oracle/libraries.ts";
import type { Reading } from "./oracle/libraries.ts";
import type { OracleRow, SdkParams } from "./oracle/oracle-row.ts";
import { settingRows } from "./oracle/setting-rows.ts";
import { vendorRows } from "./oracle/vendor-rows.ts";

/** The answer to every row: with a call where there is a tool. */
function answerTo({ options = {} }: OracleRow) {
  const isCalled = options.tools !== undefined && options.toolChoice !== "none";
  return {
    thinking: "Which city?",
    text: '{"city":"Oslo"}',
    toolCalls: isCalled ? [{ name: "look", arguments: { city: "Oslo" } }] : [],
    usage: { promptTokens: 30, completionTokens: 12, totalTokens: 42 },
  } satisfies VendorAnswer;
}

/** Our reading of an answer, in the fields that the libraries have too. */
function readingOf({ text, thinking = "", toolCalls, usage, finishReason }: ModelResponse): Reading {
  return {
    text,
    thinking,
    calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    promptTokens: usage?.promptTokens,
    completionTokens: usage?.completionTokens,
    finishReason,
  };
}

/** The body of the last request, without what tells a stream from a whole answer. */
function lastBody(vendor: FakeVendor): object {
  const sent = vendor.exchanges.at(-1)?.request.body as Record<string, unknown> | undefined;
  const { stream: _, stream_options: __, ...body } = sent ?? {};
  // The library of Gemini leaves out what is empty.
  const { generationConfig, ...others } = body;
  return Object.keys(generationConfig ?? {}).length === 0 ? others : body;
}

const rows: [title: string, row: OracleRow][] = [
  ["nothing but a question", { sdk: {} }],
  ...Object.entries({ ...settingRows, ...contentRows, ...vendorRows }).flatMap(([name, variants]) =>
    Object.entries<OracleRow>(variants).map(([variant, row]): [string, OracleRow] => [`${name}: ${variant}`, row]),
  ),
];

const cases = (Object.keys(oracles) as (keyof SdkParams)[]).flatMap((vendor) =>
  Object.entries(oracles[vendor].models).map(([how, connect]) => ({ vendor, how, connect })),
);

async function startVendor(row: OracleRow = { sdk: {} }): Promise<FakeVendor> {
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  const answer = answerTo(row);
  return vendor.respond(() => ({ answer }));
}

/** The content of the answer to a row, so that no two readings agree on nothing. */
function expectedOf(row: OracleRow): Partial<Reading> {
  const { text, toolCalls: calls } = answerTo(row);
  return { text, calls, finishReason: calls.length > 0 ? "tool_calls" : "stop" };
}

const conversation = ({ content = [{ type: "text", text: question }] }: OracleRow) => [
  { role: "user" as const, content: content.length === 1 && content[0]?.type === "text" ? content[0].text : content },
];

describe.each(cases)("$vendor through $how", ({ vendor: name, connect }) => {
  const own = rows.filter(([, { only }]) => only === undefined || only.includes(name));
  const isTaken = ([, { sdk }]: (typeof rows)[number]) => sdk[name] !== null;
  const refused = own.filter((row) => !isTaken(row));

  it.each(own.filter(isTaken))("sends the body and reads the answer of the vendor's library: %s", async (_, row) => {
    const vendor = await startVendor(row);
    const model = connect(vendor.url);

    for (const stream of [false, true]) {
      const theirs = await oracles[name].call(vendor.url, row.sdk[name] ?? {}, stream);
      const body = lastBody(vendor);
      const ours = stream
        ? await collectResponse(model.stream(conversation(row), row.options))
        : await model.generate(conversation(row), row.options);

      expect(lastBody(vendor)).toEqual(body);
      expect(readingOf(ours)).toEqual(theirs);
      expect(theirs).toMatchObject(expectedOf(row));
    }
  });

  it("refuses what the vendor takes in no form", async () => {
    const vendor = await startVendor();
    const model = connect(vendor.url);

    for (const [, row] of refused) {
      const asking = model.generate(conversation(row));
      await expect(asking).rejects.toMatchObject({ code: "unsupported_media_type" });
    }
    expect(vendor.exchanges).toEqual([]);
  });
});
