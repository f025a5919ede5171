import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { FakeService } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { recorded, startFolder, startGmail } from "../../test/gmail.ts";
import { runTokenCommand } from "./token-command.ts";

/** Runs the command against a fake authorization server, and returns the address that it shows. */
async function startCommand({ args = [] as string[], client = {}, kind = "installed" } = {}) {
  const server = (await FakeService.start()).answer(() => recorded("token-first"));
  onTestFinished(() => server.close());
  const { folder, write } = startFolder();
  const fields = {
    client_id: "id-1",
    client_secret: "GOCSPX-secret",
    auth_uri: `${server.url}/auth`,
    token_uri: `${server.url}/token`,
    ...client,
  };
  const credentials = write("credentials.json", { [kind]: fields });
  const token = join(folder, "token.json");
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  let output = "";
  const { promise: shown, resolve } = Promise.withResolvers<URL>();
  const ended = runTokenCommand(["--credentials", credentials, "--token", token, ...args], {
    write: (text) => {
      output += text;
      const address = /^http\S+$/m.exec(text)?.[0];
      if (address !== undefined) resolve(new URL(address));
    },
    signal: abort.signal,
  });
  const url = await Promise.race([shown, ended.then(() => new URL("http://ended.test"))]);
  const redirect = (query: Record<string, string>, path = url.searchParams.get("redirect_uri") ?? "") =>
    fetch(`${path}?${new URLSearchParams(query).toString()}`);
  return {
    server,
    token,
    ended,
    url,
    redirect,
    abort,
    state: url.searchParams.get("state") ?? "",
    output: () => output,
  };
}

describe("the token command", () => {
  it("asks for the least permissions, with PKCE and state, and writes the token file [gmail.token-command]", async () => {
    const { server, token, ended, url, redirect, state, output } = await startCommand();
    const asked = Object.fromEntries(url.searchParams);

    const page = await redirect({ code: "4/code", state });

    expect(await ended).toBe(0);
    expect([page.status, await page.text()]).toEqual([200, "Permission was given. You can close this page.\n"]);
    expect(asked).toEqual({
      response_type: "code",
      client_id: "id-1",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      scope: "https://www.googleapis.com/auth/gmail.send https://www.googleapis.com/auth/gmail.readonly",
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      access_type: "offline",
      prompt: "consent",
    });
    const sent = Object.fromEntries(new URLSearchParams(server.requests[0]?.body));
    expect(sent).toEqual({
      grant_type: "authorization_code",
      code: "4/code",
      redirect_uri: asked["redirect_uri"],
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      client_id: "id-1",
      client_secret: "GOCSPX-secret",
    });
    expect(
      createHash("sha256")
        .update(sent["code_verifier"] ?? "")
        .digest("base64url"),
    ).toBe(asked["code_challenge"]);
    expect(JSON.parse(readFileSync(token, "utf8"))).toMatchObject({
      type: "authorized_user",
      client_id: "id-1",
      access_token: "ya29.first-token",
      refresh_token: "1//refresh-first",
    });
    expect(statSync(token).mode & 0o777).toBe(0o600);
    expect(output()).not.toMatch(/ya29|1\/\/|GOCSPX|4\/code/);
  });

  it("makes a file with which the toolkit works, without credentialsPath", async () => {
    const { token, ended, redirect, state } = await startCommand();
    await redirect({ code: "4/code", state });
    await ended;
    const { service, call } = await startGmail({ tokenPath: token });

    await call("gmail_read", { id: "18c1a2b3c4d5e6f1" });

    expect(service.requests[0]?.headers.authorization).toBe("Bearer ya29.first-token");
  });

  it.each<[tools: string, scope: string]>([
    ["gmail_send", "https://www.googleapis.com/auth/gmail.send"],
    ["gmail_search, gmail_read", "https://www.googleapis.com/auth/gmail.readonly"],
  ])("asks for %s only for %s [gmail.token-scopes]", async (tools, scope) => {
    const { url } = await startCommand({ args: ["--tools", tools] });

    expect(url.searchParams.get("scope")).toBe(scope);
  });

  it("refuses an answer with another state, and goes on waiting [gmail.token-state]", async () => {
    const { server, ended, redirect, state } = await startCommand();

    for (const wrong of ["", "x", state.slice(1), `${state}x`]) {
      expect((await redirect({ code: "evil", state: wrong })).status).toBe(400);
    }
    expect((await redirect({ error: "access_denied" })).status).toBe(400);
    await redirect({ code: "4/code", state });

    expect(await ended).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(new URLSearchParams(server.requests[0]?.body).get("code")).toBe("4/code");
  });

  it("answers other paths and methods with 404", async () => {
    const { url, state } = await startCommand();
    const address = url.searchParams.get("redirect_uri") ?? "";

    expect((await fetch(`${address}favicon.ico`)).status).toBe(404);
    expect((await fetch(`${address}?code=a&state=${state}`, { method: "POST" })).status).toBe(404);
  });

  it("ends when no permission is given, and writes no file", async () => {
    const { token, ended, redirect, state, output } = await startCommand();

    await redirect({ error: "access_denied", state });

    expect(await ended).toBe(1);
    expect(output()).toContain("No permission was given");
    expect(existsSync(token)).toBe(false);
  });

  it("ends when only some permissions are given", async () => {
    const { server, token, ended, redirect, state, output } = await startCommand();
    const granted = "https://www.googleapis.com/auth/gmail.send";
    server.answer({ body: JSON.stringify({ access_token: "ya29.x", refresh_token: "1//x", scope: granted }) });

    await redirect({ code: "4/code", state });

    expect(await ended).toBe(1);
    expect(output()).toMatch(/Missing: https:\/\/www.googleapis.com\/auth\/gmail.readonly/);
    expect(existsSync(token)).toBe(false);
  });

  it.each<[name: string, words: RegExp]>([
    ["token-invalid-grant", /revoked or has expired/],
    ["token-invalid-client", /OAuth client is not accepted/],
    ["token", /no refresh token/],
  ])("ends when the authorization server answers the code with %s", async (name, words) => {
    const { server, ended, redirect, state, output, token } = await startCommand();
    server.answer(() => recorded(name));

    await redirect({ code: "4/code", state });

    expect(await ended).toBe(1);
    expect(output()).toMatch(words);
    expect(existsSync(token)).toBe(false);
  });

  it("uses the registered address of a web client to the letter", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const uri = `http://localhost:${port}/oauth/callback`;
    const { url, ended, redirect, state } = await startCommand({
      kind: "web",
      client: { redirect_uris: ["https://example.com/cb", uri] },
    });

    expect(url.searchParams.get("redirect_uri")).toBe(uri);
    await redirect({ code: "4/code", state }, `http://127.0.0.1:${port}/oauth/callback`);

    expect(await ended).toBe(0);
  });

  it("refuses a web client without an address of this machine", async () => {
    const { ended, output } = await startCommand({
      kind: "web",
      client: { redirect_uris: ["https://example.com/cb"] },
    });

    expect(await ended).toBe(1);
    expect(output()).toContain("OAuth client for a desktop app");
  });

  it("refuses a place where no file can be written before it asks for permission", async () => {
    const { ended, output } = await startCommand({ args: ["--token", "/no/such/folder/token.json"] });

    expect(await ended).toBe(1);
    expect(output()).toBe("The token file cannot be written. Check the path and its rights.\n");
  });

  it("leaves no port open when it is stopped", async () => {
    const { ended, redirect, abort } = await startCommand();
    abort.abort();

    expect(await ended).toBe(1);
    await expect(redirect({})).rejects.toThrow("fetch failed");
  });

  it.each<[args: string[], code: number]>([
    [[], 1],
    [["--help"], 0],
    [["--credentials", "a"], 1],
    [["--credentials", "a", "--token", "b", "--tools", "gmail_delete"], 1],
    [["--credentials", "a", "--token", "b", "--unknown"], 1],
    [["extra"], 1],
  ])("tells its usage for %j", async (args, code) => {
    let output = "";

    expect(await runTokenCommand(args, { write: (text) => (output += text) })).toBe(code);
    expect(output).toContain("Usage: troupe-gmail-token");
  });
});
