import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLoopback, readCredentials, toClient } from "./credentials-file.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "gmail-credentials-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readText = async (text: string) => {
  const path = join(folder, "credentials.json");
  writeFileSync(path, text);
  return await readCredentials(path);
};
const read = async (content: unknown) => await readText(JSON.stringify(content));
const refused = (words: RegExp) => ({ code: "invalid_config", message: expect.stringMatching(words) as string });

const fields = { client_id: "id-1", client_secret: "s" };
const client = {
  clientId: "id-1",
  clientSecret: "s",
  authUrl: "https://accounts.google.com/o/oauth2/v2/auth",
  tokenUrl: "https://oauth2.googleapis.com/token",
};

describe("the file of an OAuth client", () => {
  it("is that of a desktop app, or of a web app with its redirect addresses", async () => {
    const uris = ["http://localhost:8085/", 7, "https://app.example/back"];

    expect(await read({ installed: { ...fields, redirect_uris: uris } })).toEqual(client);
    expect(await read({ web: { ...fields, redirect_uris: uris } })).toEqual({
      ...client,
      redirectUris: ["http://localhost:8085/", "https://app.example/back"],
    });
    expect(await read({ installed: fields, web: { client_id: "other" } })).toEqual(client);
    for (const none of [undefined, null, "http://localhost/"])
      expect(await read({ web: { ...fields, redirect_uris: none } })).toEqual({ ...client, redirectUris: [] });
  });

  it.each([
    {},
    fields,
    { installed: {} },
    { installed: { client_id: "" } },
    { web: { client_id: 7 } },
    { web: null },
    [],
  ])("must name a client: %j", async (content) => {
    await expect(read(content)).rejects.toMatchObject(refused(/client_id below "installed" or "web"/));
  });

  it("is not the key of a service account, nor anything that is no JSON, nor missing", async () => {
    await expect(read({ type: "service_account", ...fields })).rejects.toMatchObject(refused(/has no mailbox/));
    await expect(readText('{"client_secret":"GOCSPX')).rejects.toMatchObject(refused(/^The file .* is not JSON/));
    await expect(readText('{"client_secret":"GOCSPX')).rejects.not.toHaveProperty("cause", expect.anything());
    await expect(readCredentials(join(folder, "none.json"))).rejects.toMatchObject(refused(/cannot be read/));
  });
});

describe("toClient", () => {
  it("needs no secret, and none that is empty", () => {
    const { clientSecret: _, ...open } = client;

    expect(toClient({ client_id: "id-1" })).toEqual(open);
    expect(toClient({ client_id: "id-1", client_secret: "" })).toEqual(open);
    expect(toClient({ client_secret: "s" })).toBeUndefined();
  });

  it.each([
    ["https://tokens.example/a?b=c", "https://tokens.example/a?b=c"],
    ["http://127.0.0.1:8080/token", "http://127.0.0.1:8080/token"],
    ["http://localhost/token", "http://localhost/token"],
    ["http://[::1]:1/token", "http://[::1]:1/token"],
  ])("takes the addresses %s", (given, url) => {
    expect(toClient({ ...fields, auth_uri: given })).toEqual({ ...client, authUrl: url });
    expect(toClient({ ...fields, token_uri: given })).toEqual({ ...client, tokenUrl: url });
  });

  it.each([
    "http://tokens.example/",
    "http://localhost.example/",
    "http://127.0.0.1.example/",
    "http://127.0.0.2/",
    "ftp://localhost/",
    "file:///etc/passwd",
    "//tokens.example",
    "tokens.example",
    "",
    null,
    7,
  ])("refuses %j: a secret is sent there", (given) => {
    for (const name of ["auth_uri", "token_uri"])
      expect(() => toClient({ ...fields, [name]: given })).toThrow(
        `${name} of the OAuth client must be an https: address.`,
      );
  });
});

describe("isLoopback", () => {
  it.each([
    ["127.0.0.1", true],
    ["localhost", true],
    ["[::1]", true],
    ["::1", false],
    ["0.0.0.0", false],
    ["localhost.", false],
    ["", false],
  ])("%s: %s", (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });
});
