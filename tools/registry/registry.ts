import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@troupe-internal/fault-tools";
import { startServer, stopServer } from "../services/own-process.ts";
import { inTools, needTools } from "./npm-tools.ts";
import type { NpmTools } from "./npm-tools.ts";

const verdaccio: NpmTools = {
  folder: "verdaccio-6.10.4",
  title: "Verdaccio",
  packages: { verdaccio: "6.10.4" },
  // A plugin, which is not used, asks for a tag that is not everywhere to be had.
  overrides: { "node-fetch": "2.7.0" },
};

/** A registry on this machine. */
export interface Registry {
  readonly url: string;
  /** A home folder whose settings lead every package manager to the registry. Their caches in it are empty at first. */
  readonly home: string;
  /** The environment of programs that use the registry. */
  readonly environment: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

/**
 * Starts Verdaccio on the loopback interface. Anyone may publish the packages of this repository in it; they are
 * forgotten when it stops. All others come from the registry of this machine once, and are kept for later, so that the
 * second time no network is needed.
 */
export async function startRegistry({ mayInstall }: { mayInstall: boolean }): Promise<Registry> {
  needTools(verdaccio, mayInstall);
  const folder = mkdtempSync(join(tmpdir(), "troupe-registry-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(folder, "config.yaml");
  writeFileSync(config, configuration(folder));
  const program = inTools(verdaccio, "verdaccio", "bin", "verdaccio");
  const child = await startServer([process.execPath, program, "-c", config, "-l", `127.0.0.1:${port}`], port);
  const home = join(folder, "home");
  mkdirSync(home);
  // npm refuses to publish without a token, whatever the registry says.
  writeFileSync(join(home, ".npmrc"), `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\n`);
  // Yarn tells the programs that it starts its own registry, and installs the command of `yarn create` for all users.
  writeFileSync(join(home, ".yarnrc"), `registry "${url}"\nprefix "${join(home, "yarn")}"\n`);
  writeFileSync(join(home, ".yarnrc.yml"), berrySettings(url));
  return {
    url,
    home,
    environment: environmentOf(home, url),
    stop: async () => {
      await stopServer(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The settings of Yarn from 2 on, which neither trusts a registry without TLS nor installs what is a few days old. */
function berrySettings(url: string): string {
  return `npmRegistryServer: "${url}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nnpmMinimalAgeGate: 0\nenableTelemetry: false\n`;
}

/** Verdaccio's settings. The folder has our packages; those of others are kept in the cache. */
function configuration(folder: string): string {
  const others = join(homedir(), ".cache", "troupe", "registry-1");
  for (const each of [others, join(folder, "storage")]) mkdirSync(each, { recursive: true });
  symlinkSync(others, join(folder, "storage", "others"));
  const above = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const open = { access: "$all", publish: "$all" };
  // JSON is YAML too.
  return JSON.stringify({
    storage: join(folder, "storage"),
    web: { enable: false },
    uplinks: { above: { url: above, maxage: "24h", timeout: "60s", fail_timeout: "1s" } },
    packages: {
      "@troupe/*": open,
      "create-troupe": open,
      "**": { access: "$all", proxy: "above", storage: "others" },
    },
    log: { type: "stdout", format: "json", level: "error" },
  });
}

/** Returns the environment of this process with the settings of the registry, and without those of a package manager. */
function environmentOf(home: string, url: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|bun|yarn)_/i.test(name));
  return { ...Object.fromEntries(own), HOME: home, npm_config_registry: url, NO_UPDATE_NOTIFIER: "1" };
}
