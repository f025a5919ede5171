import { shorten } from "../schema-issue.ts";
import { checkAll } from "./check-all.ts";
import type { Check, CheckRun, Place } from "./check-run.ts";
import { describeSchema } from "./describe-schema.ts";
import {
  compileEntries,
  compileValue,
  hasProperty,
  isRecord,
  type KeywordCompiler,
  type KeywordSite,
  readCount,
  readEntries,
  readNames,
  readPatternOf,
} from "./keyword-site.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The keywords of objects. Other values fit all of them. Only own properties are seen. */
export const objectKeywords = {
  properties: (site) => {
    const properties = compileEntries(site);
    return onObjects((fields, place, run) =>
      checkAll(properties, run, ([name, check]) => {
        return !hasProperty(fields, name) || check(fields[name], { parent: place, key: name }, run);
      }),
    );
  },

  required: (site) => {
    const properties = isRecord(site.schema["properties"]) ? site.schema["properties"] : {};
    const needed = readNames(site).map((name) => [name, describeSchema(ownValue(properties, name))] as const);
    return onObjects((fields, place, run) =>
      checkAll(
        needed,
        run,
        ([name, expected]) => hasProperty(fields, name) || failMissing({ parent: place, key: name }, expected, run),
      ),
    );
  },

  patternProperties: (site) => {
    const checks = compileEntries(site).map(([source, check]) => [readPatternOf(site, source), check] as const);
    return onObjects((fields, place, run) =>
      checkAll(namesOf(fields, run), run, (name) =>
        checkAll(checks, run, ([matches, check]) => {
          return !matches(name, run) || check(fields[name], { parent: place, key: name }, run);
        }),
      ),
    );
  },

  additionalProperties: (site) => {
    const isKnown = readKnownNames(site);
    const check = site.value === false ? refuseProperty(site) : compileValue(site);
    return onObjects((fields, place, run) =>
      checkAll(
        namesOf(fields, run),
        run,
        (name) => isKnown(name, run) || check(fields[name], { parent: place, key: name }, run),
      ),
    );
  },

  propertyNames: (site) => {
    const check = compileValue(site);
    return onObjects((fields, place, run) =>
      checkAll(namesOf(fields, run), run, (name) => check(name, { parent: place, key: name }, run)),
    );
  },

  minProperties: (site) => {
    const least = readCount(site);
    return checkSize(site, `object of at least ${least} properties`, (size) => size >= least);
  },
  maxProperties: (site) => {
    const most = readCount(site);
    return checkSize(site, `object of at most ${most} properties`, (size) => size <= most);
  },

  dependentRequired: (site) => checkDependencies(site),
  dependentSchemas: (site) => checkDependencies(site),
  // What draft-07 called both.
  dependencies: (site) => checkDependencies(site),
} satisfies Record<string, KeywordCompiler>;

function onObjects(check: (fields: Fields, place: Place, run: CheckRun) => boolean): Check {
  return (value, place, run) => !isRecord(value) || check(value, place, run);
}

function namesOf(fields: Fields, run: CheckRun): string[] {
  const names = Object.keys(fields);
  run.spend(names.length);
  return names.filter((name) => fields[name] !== undefined);
}

function ownValue(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function failMissing(place: Place, expected: string, run: CheckRun): false {
  return run.fail({ place, keyword: "required", expected, value: undefined });
}

function readKnownNames(site: KeywordSite): (name: string, run: CheckRun) => boolean {
  const { properties, patternProperties } = site.schema;
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const sources = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  const patterns = sources.map((source) => readPatternOf(site, source));
  return (name, run) => known.has(name) || patterns.some((matches) => matches(name, run));
}

function refuseProperty({ schema, keyword }: KeywordSite): Check {
  const known = isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const expected = shorten(`no such property (known: ${known.join(", ") || "none"})`, 120);
  return (value, place, run) => run.fail({ place, keyword, expected, value });
}

function checkSize({ keyword }: KeywordSite, expected: string, fits: (size: number) => boolean): Check {
  return (value, place, run) =>
    !isRecord(value) || fits(namesOf(value, run).length) || run.fail({ place, keyword, expected, value });
}

function checkDependencies(site: KeywordSite): Check {
  const { context, pointer, keyword } = site;
  const checks = readEntries(site).map(([name, value]) => {
    const at = `${pointer}/${keyword}/${name}`;
    // A list of names says the same as a schema that requires them.
    return [name, context.compile(Array.isArray(value) ? { required: value } : value, at)] as const;
  });
  return onObjects((fields, place, run) =>
    checkAll(checks, run, ([name, check]) => !hasProperty(fields, name) || check(fields, place, run)),
  );
}
