import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished } from "vitest";
import { readPageOptions } from "./page-options.ts";
import type { PageOptions } from "./page-options.ts";

const defaults = { path: "/", title: "Troupe", users: true, fonts: "web" };

function service(): RunService {
  const runs = new RunService({ storage: new InMemoryStorage() });
  onTestFinished(async () => await runs.close());
  return runs;
}

describe("readPageOptions", () => {
  it.each<[PageOptions, object]>([
    [{}, {}],
    [{ api: undefined, title: undefined, suggestions: undefined, users: undefined, inspector: undefined }, {}],
    [{ path: "/" }, {}],
    [{ path: "/a/b.c" }, { path: "/a/b.c" }],
    [{ api: "/api" }, { api: "/api" }],
    [{ api: "/api/" }, { api: "/api/" }],
    [{ api: "/a.b/c_d~e/f-1" }, { api: "/a.b/c_d~e/f-1" }],
    [{ title: "A <b>" }, { title: "A <b>" }],
    [{ users: false }, { users: false }],
    [{ welcome: "Où?" }, { welcome: "Où?" }],
    [{ logo: "/brand/logo.svg" }, { logo: "/brand/logo.svg" }],
    [{ logo: false }, { logo: false }],
    [{ keys: false }, { keys: false }],
    [{ show: undefined, fonts: undefined }, {}],
    [{ show: ["b é", "a"] }, { show: ["b é", "a"] }],
    [{ fonts: "web" }, {}],
    [{ fonts: "system" }, { fonts: "system" }],
    [{ languages: ["de", "en"] }, { languages: ["de", "en"] }],
    [{ accent: { light: "#000000", dark: "#ffffff" } }, { accent: { light: "#000000", dark: "#ffffff" } }],
    [{ suggestions: {} }, { suggestions: {} }],
    [{ suggestions: { b: ["x", ""], a: [] } }, { suggestions: { b: ["x", ""], a: [] } }],
  ])("of %j gives these settings, and the defaults of all others", (options, settings) => {
    expect(readPageOptions(options)).toEqual({ ...defaults, ...settings });
  });

  it("takes a service with the functions of its host as the inspector", () => {
    const runs = service();
    const authorize = (): boolean => true;
    expect(readPageOptions({ inspector: { runs, authorize } }).inspector).toEqual({ runs, authorize });
    expect(readPageOptions({ inspector: {} }).inspector).toEqual({});
    expect(readPageOptions({ inspector: { runs } }).inspector).toMatchObject({ runs });
  });

  const isPath = 'api must be a path on the origin of the page, such as "/" or "/api"';
  it.each<[unknown, string]>([
    [{ api: "" }, isPath],
    [{ api: "api" }, isPath],
    [{ api: "//elsewhere.test" }, isPath],
    [{ api: "/a//b" }, isPath],
    [{ api: "/a?b" }, isPath],
    [{ api: "/a\n" }, isPath],
    [{ path: "chat" }, 'path must be a path such as "/" or "/chat", without a slash at its end'],
    [{ path: "/chat/" }, "path must be a path"],
    [{ path: "/a b" }, "path must be a path"],
    [{ api: "https://elsewhere.test/" }, isPath],
    [{ api: 7 }, isPath],
    [{ title: "" }, "title must be"],
    [{ languages: [] }, 'languages must be a non-empty array of "en" and "de"'],
    [{ languages: "de" }, "languages must be a non-empty array"],
    [{ languages: ["fr"] }, "languages must be a non-empty array"],
    [{ languages: ["de", "de"] }, "languages must be a non-empty array"],
    [{ title: " " }, "title must be"],
    [{ title: null }, "title must be"],
    [{ users: "no" }, "users must be"],
    [{ welcome: " " }, "welcome must be"],
    [{ logo: "https://elsewhere.test/logo.svg" }, "logo must be a path on the origin of the page"],
    [{ logo: "//elsewhere.test/logo.svg" }, "logo must be"],
    [{ logo: "logo.svg" }, "logo must be"],
    [{ logo: true }, "logo must be"],
    [{ keys: "no" }, "keys must be"],
    [{ show: [] }, "show must be a non-empty array of different names"],
    [{ show: "helper" }, "show must be a non-empty array"],
    [{ show: ["a", "a"] }, "show must be a non-empty array"],
    [{ show: ["a", 1] }, "show must be a non-empty array"],
    [{ show: [""] }, "show must be a non-empty array"],
    [{ fonts: "serif" }, 'fonts must be "web" or "system"'],
    [{ fonts: false }, "fonts must be"],
    [{ accent: "#000000" }, "accent must be two colours"],
    [{ suggestions: null }, "suggestions must be an object of arrays"],
    [{ suggestions: 7 }, "suggestions must be an object of arrays"],
    [{ suggestions: "x" }, "suggestions must be an object of arrays"],
    [{ suggestions: { helper: "What?" } }, "suggestions.helper must be an array"],
    [{ suggestions: { helper: [7] } }, "suggestions.helper[0] must be"],
    [
      { inspector: { runs: { get() {}, list() {}, events() {}, readInput() {} } } },
      "inspector.runs must be a RunService",
    ],
    [{ inspector: true }, "inspector must be"],
    [{ colour: "red" }, "colour"],
  ])("refuses %j, and names the option", (options, message) => {
    const error = expect.objectContaining({
      code: "invalid_config",
      message: expect.stringContaining(message) as string,
    });
    expect(() => readPageOptions(options as PageOptions)).toThrow(error as Error);
  });

  it.each([
    ["authorize", true],
    ["secret", 1],
  ])("refuses the option %s of an inspector where it is %j", (name, value) => {
    const runs = service();
    expect(() => readPageOptions({ inspector: { runs, [name]: value } })).toThrow(name);
  });
});
