import assert from "node:assert/strict";
import { inspect } from "node:util";
import { configuredApiKey } from "@troupe/core/testing";
import type { VendorRequest } from "../dialect.ts";
import type { PlannedReply } from "../planned-reply.ts";
import type { ProviderSubject } from "./provider-subject.ts";
import { assertHas, collect, errorOf, startVendor } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial } from "./provider-trial.ts";

const vendorKeyVariables = [
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OLLAMA_API_KEY",
  "OPENAI_API_KEY",
];

/** Variables that some vendor's library reads, with values that must have no effect. */
function nonsense(elsewhere: string, keyVariables: readonly string[]): Record<string, string> {
  const urls = "ANTHROPIC_BASE_URL GOOGLE_GEMINI_BASE_URL GOOGLE_VERTEX_BASE_URL OLLAMA_HOST OPENAI_BASE_URL";
  const proxies = "ALL_PROXY HTTP_PROXY HTTPS_PROXY all_proxy http_proxy https_proxy";
  const others = [
    "ANTHROPIC_AUTH_TOKEN ANTHROPIC_CONFIG_DIR ANTHROPIC_PROFILE ANTHROPIC_WEBHOOK_SIGNING_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_LOCATION GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_QUOTA_PROJECT",
    "GOOGLE_GENAI_API_VERSION OLLAMA_CONTEXT_LENGTH OLLAMA_MODEL OPENAI_ADMIN_KEY OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID OPENAI_WEBHOOK_SECRET",
    ...vendorKeyVariables,
  ].join(" ");
  const all = (names: string, value: string) => names.split(" ").map((name) => [name, value] as const);
  const headers =
    "Authorization: canary\nx-api-key: canary\nanthropic-version: canary\nuser-agent: canary\nx-more: canary";
  return {
    ...Object.fromEntries([...all(urls, elsewhere), ...all(proxies, elsewhere), ...all(others, "canary")]),
    ...Object.fromEntries(keyVariables.map((name) => [name, "canary-key"])),
    ...Object.fromEntries(all("ANTHROPIC_CUSTOM_HEADERS OPENAI_CUSTOM_HEADERS", headers)),
    ...Object.fromEntries(all("ANTHROPIC_LOG OPENAI_LOG", "debug")),
    ...Object.fromEntries(all("GOOGLE_GENAI_USE_VERTEXAI GOOGLE_GENAI_USE_ENTERPRISE", "true")),
    // Only the value 1 enables the proxies.
    NODE_USE_ENV_PROXY: "true",
  };
}

/** Returns the cases that set environment variables or watch the console, so no other case may run concurrently. */
export function environmentCases({ keyVariables }: ProviderSubject): ProviderCases {
  return {
    "takes the key of the call, else its own, else the environment's": takesKeysInOrder,
    ...(keyVariables.length > 0 && { "is unauthorized without any key, before any request": needsKey }),
    "reads nothing else from the environment": readsNothingElse,
    "goes through the proxy of the environment where NODE_USE_ENV_PROXY is 1": goesThroughProxy,
    "writes nothing to the console, whatever comes": writesNothing,
  };
}

async function takesKeysInOrder(trial: ProviderTrial): Promise<void> {
  const ask = async (own: boolean, apiKey?: string) => {
    const messages = trial.ask({ answer: "Yes." });
    const model = own ? trial.connect() : trial.subject.connect(trial.vendor.url, {});
    await model.generate(messages, apiKey === undefined ? {} : { apiKey });
    return trial.exchangeOf(messages)?.key;
  };
  const variables = trial.subject.keyVariables.map((name, index) => [name, `key-of-${index}`] as const);
  const others = Object.fromEntries(vendorKeyVariables.map((name) => [name, "canary"]));
  await withEnvironment({ ...others, ...Object.fromEntries(variables) }, async () => {
    assert.equal(await ask(true, "key-of-call"), "key-of-call");
    assert.equal(await ask(true), configuredApiKey);
    assert.equal(await ask(false, "key-of-call"), "key-of-call");
    for (const [name, value] of variables) {
      assert.equal(await ask(false), value, name);
      process.env[name] = "";
    }
    // An address like that of the fake gets no key of a vendor.
    if (variables.length === 0) assert.notEqual(await ask(false), "canary");
  });
}

async function needsKey(trial: ProviderTrial): Promise<void> {
  const blank = Object.fromEntries(trial.subject.keyVariables.map((name) => [name, ""]));
  await withEnvironment({ ...blank, ANTHROPIC_AUTH_TOKEN: "canary" }, async () => {
    const model = trial.subject.connect(trial.vendor.url, {});
    const messages = trial.ask({ answer: "Yes." });
    const errors = [await errorOf(model.generate(messages)), await errorOf(collect(model.stream(messages)))];
    for (const error of errors)
      assertHas(error, { code: "unauthorized", fields: { vendor: model.providerId } }, "the error");
  });
  assert.deepEqual(trial.vendor.exchanges, []);
}

async function readsNothingElse(trial: ProviderTrial): Promise<void> {
  const elsewhere = await startVendor(trial.subject);
  const { vendor, subject } = trial;
  const ask = async () => {
    const messages = trial.ask({ answer: "Yes." });
    vendor.exchanges.splice(0);
    await trial.connect().generate(messages);
    await collect(trial.connect().stream(messages));
    await subject.embeddings?.(vendor.url, { apiKey: configuredApiKey }).embed("Question 0.");
    return vendor.exchanges.map(({ request }) => plainRequest(request));
  };
  try {
    const before = await ask();
    await withEnvironment(nonsense(elsewhere.url, subject.keyVariables), async () => {
      assert.deepEqual(await ask(), before);
      assert.doesNotMatch(inspect(vendor.exchanges, { depth: 10 }), /canary(?!-of-the-server)/);
    });
    assert.deepEqual(elsewhere.exchanges, []);
  } finally {
    await elsewhere.close();
  }
}

async function goesThroughProxy(trial: ProviderTrial): Promise<void> {
  const { vendor } = trial;
  const proxy = await startVendor(trial.subject);
  const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];
  const proxies = Object.fromEntries(names.map((name) => [name, proxy.url]));
  const direct = { no_proxy: "127.0.0.1", NO_PROXY: "127.0.0.1" };
  try {
    await withEnvironment({ ...proxies, no_proxy: "", NO_PROXY: "", NODE_USE_ENV_PROXY: "1" }, async () => {
      // A fake vendor opens no tunnel, but it sees which clients request one.
      for (const error of await trial.failures({ answer: "Yes." }))
        assertHas(error, { code: "model_failed" }, "the error");
      assert.ok(proxy.connectionCount > 0, "the proxy was not asked");
      assert.deepEqual(vendor.exchanges, []);
      Object.assign(process.env, direct);
      assert.equal((await trial.whole({ answer: "Yes." })).error, undefined);
    });
  } finally {
    await proxy.close();
  }
}

/**
 * Returns a request without the parts that differ from call to call: the number of its question, and the length of its
 * body.
 */
function plainRequest({ headers, body, ...request }: VendorRequest): object {
  const { "content-length": _, ...others } = headers;
  return { ...request, headers: others, body: JSON.stringify(body).replaceAll(/Question \d+\./g, "Question.") };
}

async function writesNothing(trial: ProviderTrial): Promise<void> {
  const html = { "content-type": "text/html" };
  const replies: PlannedReply[] = [
    { answer: { text: "Yes.", toolCalls: [{ name: "look", arguments: {} }] } },
    { raw: { status: 200, headers: html, frames: ["no JSON\n"] } },
    { raw: { status: 500, headers: html, frames: ["<html>"] } },
    { raw: { status: 500, headers: { "content-type": "application/json" }, frames: ["{"] } },
  ];
  const printed = await watchConsole(async () => {
    for (const reply of replies) {
      for (const modelId of trial.subject.models) {
        await trial.stream(reply, { provider: { modelId } });
        await trial.whole(reply, { provider: { modelId } });
      }
    }
  });
  assert.deepEqual(printed, []);
}

/** Runs with environment variables, and restores them. */
async function withEnvironment(variables: Readonly<Record<string, string>>, run: () => Promise<void>): Promise<void> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Returns everything that is written to the console during a function. */
async function watchConsole(run: () => Promise<void>): Promise<unknown[]> {
  const written: unknown[] = [];
  const names = ["debug", "info", "log", "warn", "error"] as const;
  const before = names.map((name) => [name, console[name]] as const);
  for (const name of names) console[name] = (...words: unknown[]) => void written.push(words);
  try {
    await run();
  } finally {
    for (const [name, method] of before) console[name] = method;
  }
  return written;
}
