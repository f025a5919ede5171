/** A program that installs packages. */
export type PackageManagerName = "npm" | "pnpm" | "yarn" | "yarn-berry" | "bun";

/** The commands of a package manager. */
export interface PackageManager {
  readonly program: string;
  /** The beginning of a command that runs a script: `npm run`. */
  readonly run: string;
  /** The lock file and the settings, which are copied into a container image. */
  readonly lockfile: string;
  /** The command that installs exactly the versions in the lock file. */
  readonly installLocked: string;
  /** The command that removes installed packages that the built program does not need. */
  readonly installProduction: string;
}

// A container image and a runner of GitHub have only npm and Yarn 1, so npx brings the others.
const berry = "npx -y -p @yarnpkg/cli-dist@4 yarn";

/** The package managers that a project can be made for. */
export const packageManagers: Readonly<Record<PackageManagerName, PackageManager>> = {
  npm: {
    program: "npm",
    run: "npm run",
    lockfile: "package-lock.json",
    installLocked: "npm ci",
    installProduction: "npm prune --omit=dev",
  },
  pnpm: {
    program: "pnpm",
    run: "pnpm run",
    lockfile: "pnpm-lock.yaml pnpm-workspace.yaml",
    installLocked: "npx -y pnpm install --frozen-lockfile",
    installProduction: "npx -y pnpm prune --prod",
  },
  yarn: {
    program: "yarn",
    run: "yarn run",
    lockfile: "yarn.lock",
    installLocked: "yarn install --frozen-lockfile",
    installProduction: "yarn install --frozen-lockfile --production",
  },
  // Yarn from 2 on. Its files and its flags differ from those of Yarn 1, and its program has the same name.
  "yarn-berry": {
    program: "yarn",
    run: "yarn run",
    lockfile: "yarn.lock .yarnrc.yml",
    installLocked: `${berry} install --immutable`,
    installProduction: `${berry} workspaces focus --production`,
  },
  bun: {
    program: "bun",
    run: "bun run",
    lockfile: "bun.lock",
    installLocked: "npx -y bun install --frozen-lockfile",
    installProduction: "npx -y bun install --frozen-lockfile --production",
  },
};

/** The names of the package managers. */
export const packageManagerNames = Object.keys(packageManagers) as readonly PackageManagerName[];

/**
 * Returns the package manager that started this program, from its `npm_config_user_agent`, such as
 * `pnpm/12.21.0 npm/? node/v24.14.0 linux x64`. The default is npm.
 */
export function detectPackageManager(userAgent: string | undefined): PackageManagerName {
  const [, name, major] = /^([^/]+)(?:\/(\d+))?/.exec(userAgent ?? "") ?? [];
  if (name === "yarn") return Number(major ?? 1) > 1 ? "yarn-berry" : "yarn";
  return packageManagerNames.find((each) => each === name) ?? "npm";
}
