import { parseArgs } from "node:util";
import { ProjectError } from "./project-error.ts";
import { packageManagerNames } from "./package-manager.ts";
import type { PackageManagerName } from "./package-manager.ts";
import { templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";
import { vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

/** The arguments of the command. The user may be asked for an argument that is undefined. */
export interface Arguments {
  readonly folder: string | undefined;
  readonly name: string | undefined;
  readonly template: TemplateName | undefined;
  readonly vendor: VendorName | undefined;
  readonly install: boolean | undefined;
  readonly packageManager: PackageManagerName | undefined;
  /** Packages to add to an existing project. */
  readonly add: readonly string[];
  readonly yes: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const options = {
  name: { type: "string" },
  template: { type: "string", short: "t" },
  vendor: { type: "string" },
  install: { type: "boolean" },
  "package-manager": { type: "string" },
  add: { type: "string", multiple: true },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** Reads the arguments of the command. Throws a `ProjectError` for an unknown flag or value. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) {
    throw new ProjectError(`Expected one folder, got ${positionals.join(" and ")}. Quote a path with spaces.`);
  }
  return {
    folder: positionals[0],
    name: values.name,
    template: oneOf("--template", values.template, Object.keys(templates) as TemplateName[]),
    vendor: oneOf("--vendor", values.vendor, Object.keys(vendors) as VendorName[]),
    install: values.install,
    packageManager: oneOf("--package-manager", values["package-manager"], packageManagerNames),
    add: values.add ?? [],
    yes: values.yes === true,
    help: values.help === true,
    version: values.version === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(". ", 1)[0] : String(error);
    throw new ProjectError(`${reason}. See --help.`);
  }
}

function oneOf<Name extends string>(flag: string, value: string | undefined, names: readonly Name[]): Name | undefined {
  if (value === undefined) return undefined;
  const found = names.find((name) => name === value);
  if (found === undefined) throw new ProjectError(`${flag} must be ${names.join(", ")}, got "${value}".`);
  return found;
}

/** The text of `--help`. */
export const helpText = `Usage: npm create troupe@latest [folder] -- [flags]

Makes a project with an agent, a tool, a test, and all that a service needs. It runs without a key.

  --template, -t     ${describe(templates)}
  --vendor           ${describe(vendors)}
  --install          installs the dependencies; --no-install does not
  --name             the name in package.json; by default that of the folder
  --package-manager  npm, pnpm, yarn, yarn-berry (Yarn from 2 on) or bun; by default the one that runs this command
  --yes, -y          asks nothing: what no flag says is the first choice
  --add <package>    adds a package to the project in the folder, such as providers-anthropic
  --version, -v      prints the version
  --help, -h         prints this text

Without a terminal nothing is asked, as with --yes.
`;

function describe(choices: Readonly<Record<string, { readonly title: string }>>): string {
  return Object.entries(choices)
    .map(([name, { title }]) => `${name.padEnd(10)} ${title}`)
    .join(`\n${" ".repeat(21)}`);
}
