import { describe, expect, it } from "vitest";
import { readDocsOptions } from "./docs-options.ts";

const where = { path: "swagger" };
const read = (options: unknown) => readDocsOptions(options, where);
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error;

const defaults = {
  enabled: true,
  title: "Service API",
  version: "1.0.0",
  routePrefix: "",
  questions: {},
  securitySchemes: {},
  docsPath: "/docs",
  specPath: "/docs/spec.json",
};

const bearer = { type: "http", scheme: "bearer" } as const;

describe("readDocsOptions", () => {
  it("fills in the defaults", () => {
    expect(read({})).toEqual(defaults);
  });

  it.each<[string, object]>([
    ["a switch", { enabled: false }],
    ["texts", { title: "Weather", description: "# Wettér", version: "2" }],
    ["a contact", { contact: { name: "Ada", url: "https://example.org", email: "ada@example.org" } }],
    ["a contact with a name alone", { contact: { name: "Ada" } }],
    ["a license", { license: { name: "MIT", url: "https://example.org/mit" } }],
    ["servers", { servers: [{ url: "/" }, { url: "https://example.org", description: "" }] }],
    ["no server", { servers: [] }],
    ["questions of any name", { questions: { hilfe: "Wie spät?", toString: "Now?" } }],
    ["a scheme of each type", { securitySchemes: { a: { type: "apiKey" }, "b.c-d_1": { type: "openIdConnect" } } }],
    ["more schemes", { securitySchemes: { bearer, login: { type: "oauth2" } } }],
    ["names of schemes that only resemble the service's own", { securitySchemes: { anyKey2: bearer, Key: bearer } }],
    ["a prefix", { routePrefix: "/api/v1.0" }],
    ["paths of all characters", { docsPath: "/Aa0_.~-", specPath: "/..a/b../.c" }],
    ["paths that only begin like those of the router", { docsPath: "/agentsX", specPath: "/health-docs" }],
    ["paths that hold a name of the router further on", { docsPath: "/my/agents", specPath: "/api/health" }],
    ["one path below the other", { docsPath: "/docs/spec.json/page" }],
  ])("takes %s as given", (_, options) => {
    expect(read(options)).toEqual({ ...defaults, ...options });
  });

  it.each([undefined, ""])("takes %j as no prefix, as an unset variable gives it", (routePrefix) => {
    expect(read({ routePrefix }).routePrefix).toBe("");
  });

  it.each<[string, unknown, string]>([
    ["an unknown option", { path: "/docs" }, 'Unknown option "path"'],
    ["null", null, "swagger must be an object, got null."],
    ["a blank title", { title: " " }, "swagger.title must be a string that is not blank"],
    ["a blank description", { description: "" }, "swagger.description"],
    ["a blank version", { version: "" }, "swagger.version"],
    ["a contact without a name", { contact: { email: "ada@example.org" } }, "swagger.contact.name"],
    ["a contact with a blank URL", { contact: { name: "Ada", url: "" } }, "swagger.contact.url"],
    ["a license without a name", { license: {} }, "swagger.license.name"],
    ["a license with an email", { license: { name: "MIT", email: "x" } }, 'Unknown option "email"'],
    ["a server without an address", { servers: [{ url: "" }] }, "swagger.servers[0].url"],
    ["a number as the description of a server", { servers: [{ url: "/", description: 1 }] }, "servers[0].description"],
    ["an array of questions", { questions: ["Now?"] }, "swagger.questions must be an object of strings by name"],
    ["a blank question", { questions: { a: "Now?", b: " " } }, "swagger.questions"],
    ["a number as a question", { questions: { a: 1 } }, "swagger.questions"],
    ["null for questions", { questions: null }, "swagger.questions"],
    ["an array of schemes", { securitySchemes: [bearer] }, "swagger.securitySchemes"],
    ["a scheme without a type", { securitySchemes: { a: {} } }, "swagger.securitySchemes"],
    ["a scheme of an unknown type", { securitySchemes: { bearer, a: { type: "basic" } } }, "swagger.securitySchemes"],
    ["null as a scheme", { securitySchemes: { a: null } }, "swagger.securitySchemes"],
    ["an empty name of a scheme", { securitySchemes: { "": bearer } }, "swagger.securitySchemes"],
    ["a name of a scheme with a space", { securitySchemes: { "a b": bearer } }, "swagger.securitySchemes"],
    ["the service's own name anyKey", { securitySchemes: { anyKey: bearer } }, "swagger.securitySchemes"],
    ["the service's own name openaiKey", { securitySchemes: { openaiKey: bearer } }, "swagger.securitySchemes"],
  ])("refuses %s", (_, options, message) => {
    expect(() => read(options)).toThrow(refused(message));
  });

  it.each([
    "",
    "/",
    "docs",
    "/docs/",
    "//docs",
    "/a//b",
    "/:docs",
    "/*",
    "/a b",
    "/dóc",
    "/a?b",
    "/a%2fb",
    "/a\n",
    "/.",
    "/..",
    "/a/./b",
    "/a/../b",
    "/a/..",
    null,
    7,
    ["/docs"],
  ])("refuses the path %j", (path) => {
    for (const option of ["docsPath", "specPath"]) {
      expect(() => read({ [option]: path })).toThrow(refused(`swagger.${option} must be a path such as "/docs"`));
    }
  });

  it.each(["/", "api", "/api/", "//api", "/api/../v1", "/:api", " ", null, 1])(
    "refuses the prefix %j",
    (routePrefix) => {
      expect(() => read({ routePrefix })).toThrow(refused("swagger.routePrefix must be a path"));
    },
  );

  it.each(["agents", "teams", "workflows", "runs", "schedules", "sessions", "health", "ready"])(
    "refuses paths at /%s, which the router answers itself, in any case",
    (name) => {
      for (const path of [`/${name}`, `/${name}/docs`, `/${name.toUpperCase()}`]) {
        for (const option of ["docsPath", "specPath"]) {
          expect(() => read({ [option]: path }), path).toThrow(refused(`swagger.${option} is a path of the router`));
        }
      }
    },
  );

  it.each([
    ["/api", "/api"],
    ["/api", "/API"],
    ["/Api/docs", "/aPI/DOCS"],
  ])("refuses %s beside %s, of which one would never be served", (docsPath, specPath) => {
    expect(() => read({ docsPath, specPath })).toThrow(refused("must be different paths"));
  });

  it("compares a path with the default of the other", () => {
    expect(() => read({ specPath: "/DOCS" })).toThrow(refused("must be different paths"));
    expect(() => read({ docsPath: "/docs/SPEC.json" })).toThrow(refused("must be different paths"));
  });
});
