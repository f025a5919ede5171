import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allTextOf, contextWith } from "@troupe-internal/toolkit-fakes";
import { createLogger } from "@troupe/core";
import { OAuth2Client } from "google-auth-library";
import { describe, expect, it } from "vitest";
import { answer, recorded, startGmail } from "../../test/gmail.ts";
import { expired, future, read, startOAuth, startWithoutCredentials } from "../../test/start-oauth.ts";
import type { Fields } from "../../test/start-oauth.ts";

describe("an access token of a file", () => {
  it("is used while it is valid, without asking for another", async () => {
    const { service, server, call } = await startOAuth({ token: { ...expired, expiry_date: future } });

    await call("gmail_read", read);

    expect(service.requests[0]?.headers.authorization).toBe("Bearer ya29.old");
    expect(server.requests).toEqual([]);
  });

  it.each(["installed", "web"])(
    "is refreshed before it expires, with the client of %s credentials [gmail.token-refresh]",
    async (kind) => {
      const { service, server, call, saved } = await startOAuth({
        token: { ...expired, expiry_date: Date.now() + 20_000 },
        kind,
      });

      await call("gmail_read", read);
      await call("gmail_read", read);

      expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer ya29.new-token",
        "Bearer ya29.new-token",
      ]);
      expect(server.requests.map(({ path, body }) => [path, Object.fromEntries(new URLSearchParams(body))])).toEqual([
        [
          "/token",
          {
            grant_type: "refresh_token",
            refresh_token: "1//refresh",
            client_id: "id-1",
            client_secret: "GOCSPX-secret",
          },
        ],
      ]);
      expect(saved()).toMatchObject({
        access_token: "ya29.new-token",
        refresh_token: "1//refresh",
        token_type: "Bearer",
      });
      expect(saved()["expiry_date"]).toBeGreaterThan(future - 60_000);
    },
  );

  it("is refreshed once for many calls at a time, also after they were refused [gmail.token-refresh]", async () => {
    const { service, server, call } = await startOAuth({ token: { ...expired, expiry_date: future } });
    service.answer((request) =>
      request.headers.authorization === "Bearer ya29.old" ? recorded("error-401") : answer(request),
    );

    await Promise.all(Array.from({ length: 20 }, async () => await call("gmail_read", read)));

    expect(server.requests).toHaveLength(1);
    expect(service.requests).toHaveLength(40);
  });

  it("is refreshed at most once for a call", async () => {
    const { service, server, call } = await startOAuth({ token: expired });
    service.answer(() => recorded("error-401"));

    await expect(call("gmail_read", read)).rejects.toMatchObject({
      fields: { problem: "credential_refused" },
      message: expect.stringMatching(/also a new one.*token command again/),
    });
    expect(server.requests).toHaveLength(2);
    expect(service.requests).toHaveLength(2);
  });

  it("is refreshed for a mail that Gmail refused to send, which is then sent once", async () => {
    const { service, call } = await startOAuth({ token: { ...expired, expiry_date: future } });
    service.answer((request) =>
      request.headers.authorization === "Bearer ya29.old" ? recorded("error-401") : answer(request),
    );

    await call("gmail_send", { to: ["ann@example.com"], subject: "Hi", text: "Hi" });

    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer ya29.old",
      "Bearer ya29.new-token",
    ]);
  });

  it.each<[form: string, token: (client: Fields) => Fields, fields: Fields]>([
    [
      "authorized_user",
      (client) => ({ type: "authorized_user", ...client, refresh_token: "1//refresh" }),
      { type: "authorized_user", access_token: "ya29.new-token", refresh_token: "1//refresh" },
    ],
    [
      "the Python library",
      (client) => ({
        ...client,
        token: "ya29.old",
        refresh_token: "1//refresh",
        expiry: "2020-01-01T00:00:00.000001Z",
        scopes: ["s"],
      }),
      {
        token: "ya29.new-token",
        refresh_token: "1//refresh",
        scopes: ["s"],
        expiry: expect.stringMatching(/^20\d\d-.*Z$/),
      },
    ],
  ])(
    "is refreshed in a file of the form of %s, with the client in it [gmail.token-files]",
    async (_form, token, fields) => {
      const { service, call, client, write, saved } = await startWithoutCredentials();
      write(token(client));

      await call("gmail_read", read);

      expect(service.requests[0]?.headers.authorization).toBe("Bearer ya29.new-token");
      expect(saved()).toMatchObject(fields);
    },
  );

  it("keeps a refresh token that the answer leaves out, and takes a new one", async () => {
    const { server, call, saved, tokenPath } = await startOAuth({ token: expired });
    await call("gmail_read", read);
    expect(saved()["refresh_token"]).toBe("1//refresh");

    server.answer(() => recorded("token-first"));
    writeFileSync(tokenPath, JSON.stringify({ ...expired, refresh_token: "1//other" }));
    const { call: callAgain } = await startGmail({
      tokenPath,
      credentialsPath: join(tokenPath, "../credentials.json"),
    });
    await callAgain("gmail_read", read);

    expect(saved()["refresh_token"]).toBe("1//refresh-first");
  });

  it("counts when another process or the token command has written it meanwhile", async () => {
    const { service, server, call, tokenPath } = await startOAuth({ token: { ...expired, expiry_date: future } });
    await call("gmail_read", read);
    service.answer((request) =>
      request.headers.authorization === "Bearer ya29.old" ? recorded("error-401") : answer(request),
    );
    writeFileSync(tokenPath, JSON.stringify({ ...expired, access_token: "ya29.other", expiry_date: future }));

    await call("gmail_read", read);

    expect(service.requests.at(-1)?.headers.authorization).toBe("Bearer ya29.other");
    expect(server.requests).toEqual([]);
  });
});

describe("the token file", () => {
  it("is readable by its owner alone, and nothing is left beside it [gmail.token-saved]", async () => {
    const { call, tokenPath, folder } = await startOAuth({ token: expired });
    chmodSync(tokenPath, 0o644);

    await call("gmail_read", read);

    expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(["credentials.json", "token.json"]);
  });

  it("stays a link where it is one", async () => {
    const { folder, tokenPath, credentialsPath, saved } = await startOAuth({ token: expired });
    const link = join(folder, "link.json");
    symlinkSync(tokenPath, link);
    const { call } = await startGmail({ tokenPath: link, credentialsPath });

    await call("gmail_read", read);

    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(saved()["access_token"]).toBe("ya29.new-token");
  });

  it("is kept in memory when it cannot be saved, which is told once at warn [gmail.token-saved]", async () => {
    const { server, folder, credentialsPath } = await startOAuth({ token: expired });
    // No name for a temporary file fits beside it: unlike rights, this binds the superuser too.
    const tokenPath = join(folder, `${"t".repeat(245)}.json`);
    writeFileSync(tokenPath, JSON.stringify(expired));
    server.answer({
      body: JSON.stringify({ access_token: "ya29.short", refresh_token: "1//rotated", expires_in: 30 }),
    });
    const { service, call } = await startGmail({ tokenPath, credentialsPath });
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line: string) => lines.push(line) });

    await call("gmail_read", read, { ...contextWith(), logger });
    server.answer(() => recorded("token"));
    await call("gmail_read", read, { ...contextWith(), logger });
    await call("gmail_read", read, { ...contextWith(), logger });

    const used = service.requests.map(({ headers }) => headers.authorization);
    expect(used).toEqual(["Bearer ya29.short", "Bearer ya29.new-token", "Bearer ya29.new-token"]);
    const spent = server.requests.map(({ body }) => new URLSearchParams(body).get("refresh_token"));
    expect(spent).toEqual(["1//refresh", "1//rotated"]);
    expect(lines.filter((line) => line.includes("cannot be saved at tokenPath"))).toHaveLength(1);
    expect(lines.join("\n")).not.toMatch(/ya29|1\/\/|secret/);
    expect(JSON.parse(readFileSync(tokenPath, "utf8"))).toEqual(expired);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it("is not overwritten when the token command has written it while the token was refreshed", async () => {
    const { server, call, tokenPath, saved } = await startOAuth({ token: expired });
    const written = { ...expired, refresh_token: "1//of-the-command" };
    server.answer(() => {
      writeFileSync(tokenPath, JSON.stringify(written));
      return recorded("token");
    });

    await call("gmail_read", read);

    expect(saved()).toEqual(written);
  });
});

describe("an authClient", () => {
  it.each<[form: string, answer: unknown]>([
    ["a string", "ya29.own"],
    ["an object, as google-auth-library does", { token: "ya29.own", res: null }],
  ])("may return %s [gmail.auth-client]", async (_form, given) => {
    const { service, call } = await startGmail({
      authClient: { getAccessToken: async () => await Promise.resolve(given as string) },
    });

    await call("gmail_read", read);

    expect(service.requests[0]?.headers.authorization).toBe("Bearer ya29.own");
  });

  it("may be a client of google-auth-library [gmail.auth-client]", async () => {
    const client = new OAuth2Client({ clientId: "id-1" });
    client.setCredentials({ access_token: "ya29.google", expiry_date: future });
    const { service, call } = await startGmail({ authClient: client });

    await call("gmail_read", read);

    expect(service.requests[0]?.headers.authorization).toBe("Bearer ya29.google");
  });

  it("is asked again after its token was refused [gmail.auth-client]", async () => {
    const tokens = ["ya29.old", "ya29.new"];
    const { service, call } = await startGmail({
      authClient: { getAccessToken: async () => await Promise.resolve(tokens.shift()) },
    });
    service.answer((request) =>
      request.headers.authorization === "Bearer ya29.old" ? recorded("error-401") : answer(request),
    );

    await call("gmail_read", read);

    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer ya29.old",
      "Bearer ya29.new",
    ]);
  });

  it.each<[what: string, getAccessToken: () => Promise<string | null>, words: RegExp]>([
    ["returns nothing", async () => await Promise.resolve(null), /returned none/],
    ["returns what fits no header", async () => await Promise.resolve("a\r\nb"), /returned none/],
    ["throws", async () => await Promise.reject(new Error("secret token")), /getAccessToken of authClient failed/],
    [
      "says that its grant is invalid",
      async () => await Promise.reject(new Error("invalid_grant")),
      /revoked or has expired/,
    ],
  ])("is a clear failure, without a request, when it %s", async (_what, getAccessToken, words) => {
    const { service, call } = await startGmail({ authClient: { getAccessToken } });

    const error: unknown = await call("gmail_read", read).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "unauthorized", message: expect.stringMatching(words) });
    expect(allTextOf(error)).not.toContain("secret");
    expect(service.requests).toEqual([]);
  });
});
