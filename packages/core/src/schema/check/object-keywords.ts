import { isRecord } from "../../base/util/is-record.ts";
import { shorten } from "../schema-issue.ts";
import type { Check, CheckRun, ValuePath } from "./check-run.ts";
import { describeSchema } from "./describe.ts";
import type { KeywordCompiler, KeywordSite } from "./keyword-site.ts";
import type { UnknownRecord } from "../../base/util/is-record.ts";

/**
 * The JSON Schema keywords of objects, each with the function that compiles it into a check. Only own properties with a
 * value count: inherited properties and `undefined` are absent.
 */
export const objectKeywords = {
  properties: (site) => {
    const properties = site.compileEntries();
    return onObjects((fields, path, run) =>
      run.every(
        properties,
        ([name, check]) => !isPresent(fields, name) || check(fields[name], { parent: path, key: name }, run),
      ),
    );
  },

  required: (site) => {
    const properties = isRecord(site.schema["properties"]) ? site.schema["properties"] : {};
    const describe = (name: string) => describeSchema(Object.hasOwn(properties, name) ? properties[name] : undefined);
    const required = site.readNames().map((name) => [name, describe(name)] as const);
    return onObjects((fields, path, run) =>
      run.every(required, ([name, expected]) => {
        if (isPresent(fields, name)) return true;
        return run.fail({ path: { parent: path, key: name }, keyword: "required", expected, value: undefined });
      }),
    );
  },

  patternProperties: (site) => {
    const checks = site.compileEntries().map(([source, check]) => [site.readPattern(source), check] as const);
    return onObjects((fields, path, run) =>
      run.every(namesOf(fields, run), (name) =>
        run.every(checks, ([matches, check]) => {
          return !matches(name, run) || check(fields[name], { parent: path, key: name }, run);
        }),
      ),
    );
  },

  additionalProperties: (site) => {
    const isKnown = compileKnownNames(site);
    const check = site.value === false ? refuseProperty(site) : site.compile();
    return onObjects((fields, path, run) =>
      run.every(
        namesOf(fields, run),
        (name) => isKnown(name, run) || check(fields[name], { parent: path, key: name }, run),
      ),
    );
  },

  propertyNames: (site) => {
    const check = site.compile();
    return onObjects((fields, path, run) =>
      run.every(namesOf(fields, run), (name) => check(name, { parent: path, key: name }, run)),
    );
  },

  minProperties: (site) => {
    const least = site.readCount();
    const fits = (fields: UnknownRecord, run: CheckRun) => namesOf(fields, run).length >= least;
    return site.checkObject(`object of at least ${least} properties`, fits);
  },
  maxProperties: (site) => {
    const most = site.readCount();
    const fits = (fields: UnknownRecord, run: CheckRun) => namesOf(fields, run).length <= most;
    return site.checkObject(`object of at most ${most} properties`, fits);
  },

  dependentRequired: compileDependencies,
  dependentSchemas: compileDependencies,
  // `dependencies` is the draft-07 name of `dependentRequired` and `dependentSchemas`.
  dependencies: compileDependencies,
} satisfies Record<string, KeywordCompiler>;

function onObjects(check: (fields: UnknownRecord, path: ValuePath, run: CheckRun) => boolean): Check {
  return (value, path, run) => !isRecord(value) || check(value, path, run);
}

function namesOf(fields: UnknownRecord, run: CheckRun): string[] {
  const names = Object.keys(fields);
  run.spend(names.length);
  return names.filter((name) => fields[name] !== undefined);
}

function isPresent(fields: UnknownRecord, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name] !== undefined;
}

function compileKnownNames(site: KeywordSite): (name: string, run: CheckRun) => boolean {
  const { properties, patternProperties } = site.schema;
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const sources = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  const patterns = sources.map((source) => site.readPattern(source));
  return (name, run) => known.has(name) || patterns.some((matches) => matches(name, run));
}

function refuseProperty({ schema, keyword }: KeywordSite): Check {
  const known = isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const expected = shorten(`no such property (known: ${known.join(", ") || "none"})`, 120);
  return (value, path, run) => run.fail({ path, keyword, expected, value });
}

function compileDependencies(site: KeywordSite): Check {
  // In a dependency, an array of names is equivalent to a schema that requires these names.
  const checks = site.compileEntries((value) => (Array.isArray(value) ? { required: value } : value));
  return onObjects((fields, path, run) =>
    run.every(checks, ([name, check]) => !isPresent(fields, name) || check(fields, path, run)),
  );
}
