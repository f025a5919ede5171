import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { authClient } from "../test/vendor.ts";
import { checkCloudOptions, cloudTable, isAuthClient, locationPattern, projectOf, projectPattern } from "./options.ts";
import type { CloudOptions } from "./options.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const account = {
  client_email: "agent@troupe-1.iam.gserviceaccount.com",
  private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
};
const publicPem = String(publicKey.export({ type: "spki", format: "pem" }));

it.each([
  ["troupe-1", true],
  ["example.com:troupe-1", true],
  ["Troupe_1", true],
  ["a", true],
  ["", false],
  ["1troupe", false],
  ["-a", false],
  ["a/b", false],
  ["a b", false],
  ["a?b", false],
  ["a#b", false],
  ["a%2fb", false],
  ["é", false],
  ["aé", false],
  ["a\n", false],
])("the option check tells of %j whether it is the id of a project", (id, expected) => {
  expect(projectPattern.test(id)).toBe(expected);
  expect(projectOf({ ...authClient(), projectId: id })).toBe(expected ? id : undefined);
  expect(projectOf({ ...account, project_id: id })).toBe(expected ? id : undefined);
});

it.each([
  ["us-east1", true],
  ["global", true],
  ["eu", true],
  ["", false],
  ["1a", false],
  ["Eu", false],
  ["eu.example", false],
  ["eu/", false],
  ["eu_1", false],
  ["eu\n", false],
])("the option check tells of %j whether it is the id of a location", (id, expected) => {
  expect(locationPattern.test(id)).toBe(expected);
});

describe("projectOf", () => {
  const twoNames = { projectId: "a", project_id: "b" };

  it.each<[string, CloudOptions["credentials"], string | undefined]>([
    ["no credentials", undefined, undefined],
    ["a client without one", authClient(), undefined],
    ["a client with none", { ...authClient(), projectId: null }, undefined],
    ["an account without one", account, undefined],
    ["a client, by its own name for it", Object.assign(authClient(), twoNames), "a"],
    ["an account, by its own name for it", Object.assign({ ...account }, twoNames), "b"],
  ])("reads the project of %s", (_, credentials, expected) => {
    expect(projectOf(credentials)).toBe(expected);
  });
});

describe("credentials", () => {
  const check = (value: unknown) => cloudTable.credentials(value, "credentials", { owner: "vertex" });

  it.each<[string, object, boolean]>([
    ["an account", account, false],
    ["a client", authClient(), true],
    ["a client that has fields of an account", { ...account, ...authClient() }, true],
  ])("may be %s, as it is given", (_, value, isClient) => {
    expect(check(value)).toBe(value);
    expect(isAuthClient(value)).toBe(isClient);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a text", "canary"],
    ["a list", []],
    ["a client without its method", { getRequestHeaders: true }],
    ["an account without an address", { private_key: account.private_key }],
    ["an account with a number as address", { ...account, client_email: 1 }],
    ["an account without a key", { client_email: "canary" }],
    ["an account with a key that cannot be read", { ...account, private_key: "canary" }],
    ["an account with a public key", { ...account, private_key: publicPem }],
  ])("are not %s", (_, value) => {
    expect(() => check(value)).toThrow(/^(?!.*canary)credentials must be the key of a service account/);
  });
});

describe("checkCloudOptions", () => {
  it.each<CloudOptions>([
    {},
    { apiKey: "key-1" },
    { credentials: account },
    { credentials: undefined, apiKey: "key-1" },
    { credentials: account, apiKey: undefined },
  ])("takes credentials or a key (%#)", (options) => {
    expect(() => checkCloudOptions(options, "vertex")).not.toThrow();
  });

  it.each([account, authClient()])("refuses both, in the name of the function (%#)", (credentials) => {
    expect(() => checkCloudOptions({ credentials, apiKey: "canary" }, "vertexEmbeddings")).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "vertexEmbeddings takes credentials or apiKey, not both: leave one out.",
      }),
    );
  });
});
