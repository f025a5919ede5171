import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Service } from "@troupe-internal/toolkit";
import { contextWith, FakeService } from "@troupe-internal/toolkit-fakes";
import { createLogger } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startFolder } from "../../test/gmail.ts";
import { FileTokens } from "./file-tokens.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const command = "Run the token command again (npx -p @troupe/toolkits-gmail troupe-gmail-token).";

beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Starts an authorization server that gives new-1, new-2, …, and the tokens of a file with these fields. */
async function start(
  fields: object,
  { withCredentials = true, answer = {} }: { withCredentials?: boolean; answer?: object } = {},
) {
  const server = await FakeService.start();
  onTestFinished(() => server.close());
  let given = 0;
  server.answer(() => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ access_token: `new-${(given += 1)}`, expires_in: 3600, ...answer }),
  }));
  const { write } = startFolder();
  const client = { client_id: "id-1", token_uri: `${server.url}/token` };
  const tokenPath = write("token.json", fields);
  const credentialsPath = withCredentials ? write("credentials.json", { installed: client }) : undefined;
  const service = new Service({ name: "Gmail", timeoutMs: 5000, network: {} });
  const tokens = new FileTokens({ tokenPath, credentialsPath, server: service });
  const warn = vi.fn<(message: string, more?: object) => void>();
  const context = { ...contextWith(), logger: { ...createLogger(), warn } };
  const saved = () => JSON.parse(readFileSync(tokenPath, "utf8")) as unknown;
  const sent = () => server.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const get = async (refused?: string) => await tokens.getToken({ ...context, refused });
  return { tokens, server, tokenPath, client, context, warn, saved, sent, get };
}

const refreshable = { access_token: "old", refresh_token: "r-1" };

describe("FileTokens", () => {
  it.each<[string, object, string]>([
    ["is valid for a minute and a millisecond", { expiry_date: now + 60_001 }, "old"],
    ["is valid for a minute", { expiry_date: now + 60_000 }, "new-1"],
    ["has expired", { expiry_date: now - 1 }, "new-1"],
    ["names no time", {}, "old"],
    ["is valid for an hour by the Python library", { expiry: "2026-11-20T11:00:00.000000" }, "old"],
  ])("refreshes or uses a token that %s", async (_what, more, token) => {
    const { get } = await start({ ...refreshable, ...more });

    expect(await get()).toBe(token);
  });

  it("refreshes its own token again a minute before that expires, and not before", async () => {
    const { get, sent } = await start({ refresh_token: "r-1" });
    expect(await get()).toBe("new-1");
    vi.setSystemTime(now + 3_540_000 - 1);
    expect(await get()).toBe("new-1");
    vi.setSystemTime(now + 3_540_000);
    expect(await get()).toBe("new-2");

    expect(sent()).toEqual(
      [1, 2].map(() => ({ grant_type: "refresh_token", refresh_token: "r-1", client_id: "id-1" })),
    );
  });

  it("saves the new token beside what else the file holds", async () => {
    const { get, saved } = await start({ ...refreshable, expiry_date: now, type: "x" }, { answer: { scope: "s" } });
    await get();

    expect(saved()).toEqual({
      type: "x",
      access_token: "new-1",
      refresh_token: "r-1",
      expiry_date: now + 3_600_000,
      scope: "s",
    });
  });

  it("keeps a token without an end until it is refused, and spends the newest refresh token", async () => {
    const answer = { expires_in: undefined, refresh_token: "r-2" };
    const { get, saved, sent } = await start({ ...refreshable, expiry_date: now }, { answer });
    expect(await get()).toBe("new-1");
    vi.setSystemTime(now + 1e10);
    expect(await get()).toBe("new-1");
    expect(await get("new-1")).toBe("new-2");

    expect(saved()).toEqual({ access_token: "new-2", refresh_token: "r-2" });
    expect(sent().map(({ refresh_token: spent }) => spent)).toEqual(["r-1", "r-2"]);
  });

  it("refreshes once for calls at once, and again after a refresh that failed for all of them", async () => {
    const { get, server, sent } = await start(refreshable);
    server.answer({ status: 503, body: "" });
    const failed = await Promise.allSettled([get("old"), get("old"), get("old")]);
    expect(failed).toEqual(
      [1, 2, 3].map(() => ({
        status: "rejected",
        reason: expect.objectContaining({
          message: "Gmail cannot be asked, because no access token was given (status 503). Try again later.",
        }),
      })),
    );
    expect(sent()).toHaveLength(1);
    server.answer({ body: JSON.stringify({ access_token: "later" }) });

    expect(await get("old")).toBe("later");
  });

  it("ends the wait of the call that was aborted alone", async () => {
    const { tokens, context, sent } = await start({ refresh_token: "r-1" });
    const abort = new AbortController();
    const aborted = tokens.getToken({ ...context, signal: abort.signal });
    const other = tokens.getToken(context);
    abort.abort();

    await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
    expect(await other).toBe("new-1");
    expect(sent()).toHaveLength(1);
  });

  it("takes the client of the token file without credentials, and says what is missing without one", async () => {
    const bare = await start(refreshable, { withCredentials: false });
    await expect(bare.get("old")).rejects.toMatchObject({
      code: "invalid_config",
      message:
        "The token file names no OAuth client, which is needed to refresh the token. Set credentialsPath to the JSON of the OAuth client.",
    });
    expect(bare.sent()).toEqual([]);
    writeFileSync(bare.tokenPath, JSON.stringify({ ...refreshable, ...bare.client, client_id: "id-2" }));

    expect(await bare.get("old")).toBe("new-1");
    expect(bare.sent()).toEqual([{ grant_type: "refresh_token", refresh_token: "r-1", client_id: "id-2" }]);
  });

  it("says that it needs a refresh token, with the token command", async () => {
    const { get, sent } = await start({ access_token: "old" });

    await expect(get("old")).rejects.toMatchObject({
      code: "unauthorized",
      message: `Gmail needs a new access token, and the file at tokenPath holds no refresh token. ${command}`,
      fields: { service: "Gmail", problem: "credential_refused" },
    });
    expect(sent()).toEqual([]);
  });

  it("warns once with the code of the failure when it cannot save, and goes on with its own token", async () => {
    const { get, server, tokenPath, warn, sent } = await start(refreshable);
    // A folder in the place of the file, once it was read.
    server.answer(() => {
      rmSync(tokenPath, { recursive: true, force: true });
      mkdirSync(tokenPath);
      return { body: JSON.stringify({ access_token: "kept", expires_in: 90 }) };
    });
    expect(await get("old")).toBe("kept");
    expect(await get()).toBe("kept");
    await expect(get("kept")).rejects.toMatchObject({
      message: `Gmail needs a token, and there is no readable file at tokenPath. ${command}`,
    });
    rmSync(tokenPath, { recursive: true });
    writeFileSync(tokenPath, JSON.stringify(refreshable));

    expect(await get("kept")).toBe("kept");
    expect(sent()).toHaveLength(2);
    expect(warn.mock.calls).toEqual([
      [
        "The refreshed Gmail token cannot be saved at tokenPath, and is kept in memory. Make its folder writable to keep it over a restart.",
        { code: "unauthorized" },
      ],
    ]);
  });

  it("uses a token that was written meanwhile by another, which it does not overwrite", async () => {
    const { get, server, tokenPath, saved } = await start({ ...refreshable, expiry_date: now });
    const theirs = { access_token: "theirs", refresh_token: "r-9" };
    server.answer(() => {
      writeFileSync(tokenPath, JSON.stringify(theirs));
      return { body: JSON.stringify({ access_token: "ours" }) };
    });

    expect(await get()).toBe("ours");
    expect(saved()).toEqual(theirs);
    expect(await get("ours")).toBe("theirs");
  });
});
