import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createLogger } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { CanarySearch } from "../canary-search.ts";
import type { PlannedReply } from "../planned-reply.ts";
import { assertHas, collect, startVendor } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial } from "./provider-trial.ts";

/** Keys that change when they are escaped, in JSON and in URLs. */
const keys = Array.from({ length: 20 }, (_, index) => `sk-canary"8c1f\\\\04d2%e7+/${String(index).padStart(2, "0")}`);
const search = new CanarySearch(keys);

/** Cases of keys that do not touch the environment. */
export const keyCases = {
  "sends each of twenty calls at once under its own key, and shows it nowhere else": async (trial) => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const model = trial.connect({ logger });
    const embeddings = trial.subject.embeddings?.(trial.vendor.url, {});
    const outcomes = await Promise.all(
      keys.map(async (apiKey, index) => [
        await callBothWays(trial, model, apiKey),
        await embeddings?.embed(`I am ${index}.`, { apiKey }),
      ]),
    );

    const { exchanges } = trial.vendor;
    for (const key of keys) assert.equal(exchanges.filter((one) => one.key === key).length, embeddings ? 3 : 2, key);
    for (const { key, request } of exchanges) assert.deepEqual(keysIn(request), [key], "the keys of a request");
    for (const { key, request } of exchanges) assertBody(request.body, key);
    assert.ok(
      exchanges.every(({ request, key }) => !request.url.includes(key ?? "")),
      "a URL has a key",
    );
    assert.ok(lines.length > 0, "the untaken setting of the subject is not logged");
    assert.deepEqual(keysIn([outcomes, lines, model, embeddings, exchanges.map(({ request }) => request.body)]), []);
  },
  "refuses a key that a header cannot hold before any request": async (trial) => {
    for (const apiKey of ["two words", "line\nbreak"]) {
      for (const error of await trial.failures({ answer: "Yes." }, { options: { apiKey } }))
        assertHas(error, { code: "invalid_request" }, `the error for ${JSON.stringify(apiKey)}`);
    }
    assert.deepEqual(trial.vendor.exchanges, []);
  },
  "follows no redirect": async (trial) => {
    const other = await startVendor(trial.subject);
    try {
      const messages = trial.ask({ answer: "Yes." });
      await trial.connect().generate(messages);
      const location = `${other.url}${trial.exchangeOf(messages)?.request.url ?? ""}`;
      for (const status of [301, 307]) {
        const reply: PlannedReply = { raw: { status, headers: { location }, frames: [] } };
        for (const error of await trial.failures(reply))
          assertHas(error, { code: "model_failed", message: /redirect/, fields: { status } }, "the error");
      }
      assert.deepEqual(other.exchanges, []);
    } finally {
      await other.close();
    }
  },
} satisfies ProviderCases;

/** Streams and generates with one key. Every seventh key is refused with a message that repeats it. */
async function callBothWays(trial: ProviderTrial, model: ModelProvider, apiKey: string): Promise<unknown[]> {
  const isRefused = apiKey.endsWith("7");
  const reply: PlannedReply = isRefused
    ? { failure: { status: 401, message: `Bad key ${apiKey}.` } }
    : { answer: `For ${apiKey.slice(-2)}.` };
  const messages = [{ role: "user" as const, content: `I am ${Number(apiKey.slice(-2))}.` }, ...trial.ask(reply)];
  const options = { ...trial.subject.untaken, apiKey };
  const caught = (error: unknown) => error;
  const outcomes = [
    await trial.within(model.generate(messages, options).catch(caught)),
    await trial.within(collect(model.stream(messages, options)).catch(caught)),
  ];
  const { providerId } = model;
  const code = trial.subject.ownKeysOnly === true ? "model_failed" : "unauthorized";
  for (const outcome of outcomes) {
    if (isRefused) assertHas(outcome, { code, fields: { vendor: providerId } }, "the outcome");
    else assert.match(inspect(outcome, { depth: 5 }), new RegExp(`For.*${apiKey.slice(-2)}`, "s"));
  }
  return outcomes;
}

function assertBody(body: unknown, key: string | undefined): void {
  assert.match(JSON.stringify(body), new RegExp(`I am ${Number(key?.slice(-2))}\\.`), `a body under the key ${key}`);
}

/** Returns the keys that a value contains: plain, escaped, in base64, or in pieces in fields of one name. */
function keysIn(value: unknown): string[] {
  const shown = inspect(value, { depth: 15, showHidden: true, maxStringLength: null, maxArrayLength: null });
  const fields = joinedFields(value);
  // Strings are searched unescaped, because `inspect` escapes some of their characters.
  const found = [shown, ...fields.values()].flatMap((text) => search.in(text).map(({ canary }) => canary));
  return keys.filter((key) => found.includes(key));
}

/** Joins the strings of all fields with one name, at any depth, because a stream may contain a key in pieces. */
function joinedFields(value: unknown): Map<string, string> {
  const fields = new Map<string, string>();
  const seen = new Set<unknown>();
  const join = (each: unknown, name: string): void => {
    if (typeof each === "string") fields.set(name, `${fields.get(name) ?? ""}${each}`);
    if (typeof each !== "object" || each === null || seen.has(each)) return;
    seen.add(each);
    const isList = Array.isArray(each);
    for (const key of Reflect.ownKeys(each)) join(Reflect.get(each, key), isList ? name : String(key));
  };
  join(value, "");
  return fields;
}
