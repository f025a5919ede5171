import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allTextOf, contextWith } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { recorded, startGmail } from "../../test/gmail.ts";
import { expired, past, read, startOAuth, startWithoutCredentials } from "../../test/start-oauth.ts";

const broken: readonly (readonly [what: string, token: unknown, words: RegExp])[] = [
  ["is no JSON", "not json", /neither access_token nor refresh_token/],
  ["holds nothing", {}, /neither access_token nor refresh_token/],
  ["has expired and holds no refresh token", { access_token: "ya29.old", expiry_date: past }, /no refresh token/],
];

describe("an OAuth failure", () => {
  it.each<[name: string, problem: string, words: RegExp]>([
    ["token-invalid-grant", "credential_refused", /revoked or has expired.*token command again \(npx -p @troupe/],
    ["token-invalid-client", "credential_refused", /OAuth client is not accepted.*credentialsPath/],
    ["error-429", "rate_limited", /Wait/],
    ["error-500", "unavailable", /Try again later/],
    ["list-empty", "unavailable", /no access token/],
  ])("says after %s what to do, and nothing secret [gmail.token-revoked]", async (name, problem, words) => {
    const { server, service, call } = await startOAuth({ token: expired });
    server.answer(() => recorded(name));

    const error: unknown = await call("gmail_read", read).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ fields: { problem }, message: expect.stringMatching(words) });
    expect(allTextOf(error)).not.toMatch(/1\/\/refresh|GOCSPX|ya29/);
    expect(service.requests).toEqual([]);
  });

  it.each(broken)("says to run the token command when the token file %s", async (_what, token, words) => {
    const { call } = await startOAuth({ token });

    const failing = call("gmail_read", read);

    await expect(failing).rejects.toMatchObject({ code: "unauthorized", message: expect.stringMatching(words) });
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining("token command again") });
  });

  it("says to run the token command when there is no token file, and a call works once it has run", async () => {
    const { call, tokenPath, credentialsPath, folder } = await startOAuth({ token: expired });
    const later = join(folder, "later.json");
    const second = await startGmail({ tokenPath: later, credentialsPath });

    await expect(second.call("gmail_read", read)).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("tokenPath"),
    });
    await call("gmail_read", read);
    writeFileSync(later, readFileSync(tokenPath));

    await expect(second.call("gmail_read", read)).resolves.toMatchObject({ subject: "Invoice 42" });
  });

  it.each<[what: string, content: unknown, words: RegExp]>([
    [
      "is a service account",
      { type: "service_account", client_id: "1", private_key: "secret" },
      /service account.*authClient/,
    ],
    ["has no client", { other: {} }, /client_id.*installed/],
    ["is no JSON", "secret", /not JSON/],
    ["sends secrets without TLS", { installed: { client_id: "1", token_uri: "http://evil.example/token" } }, /https:/],
  ])("says when the credentials file %s, and nothing secret", async (_what, content, words) => {
    const { call, credentialsPath } = await startOAuth({ token: expired });
    writeFileSync(credentialsPath, typeof content === "string" ? content : JSON.stringify(content));

    const error: unknown = await call("gmail_read", read).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "invalid_config", message: expect.stringMatching(words) });
    expect(allTextOf(error)).not.toContain("secret");
  });

  it("asks for credentialsPath when the token file names no client", async () => {
    const { call, write } = await startWithoutCredentials();
    write(expired);

    await expect(call("gmail_read", read)).rejects.toMatchObject({
      message: expect.stringContaining("Set credentialsPath"),
    });
  });

  it("comes to no call when another that waited was aborted", async () => {
    const { server, call } = await startOAuth({ token: expired });
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    server.answer(() => {
      noteAsked();
      return { ...recorded("token"), delivery: { pieceBytes: 8, pieceDelayMs: 1 } };
    });
    const abort = new AbortController();
    const first = call("gmail_read", read, contextWith(abort.signal));
    const second = call("gmail_read", read);
    await asked;
    abort.abort();

    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    await expect(second).resolves.toMatchObject({ subject: "Invoice 42" });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[what: string, name: string, problem: string]>([
    ["fails", "error-500", "unavailable"],
    ["refuses", "token-invalid-grant", "credential_refused"],
  ])("leaves no doubt that a mail was not sent when the authorization server %s", async (_what, name, problem) => {
    const { server, service, call } = await startOAuth({ token: expired });
    server.answer(() => recorded(name));

    const failing = call("gmail_send", { to: ["ann@example.com"], subject: "Hi", text: "Hi" });

    await expect(failing).rejects.toMatchObject({ fields: { problem } });
    expect(service.requests).toEqual([]);
  });
});
