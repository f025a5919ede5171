import type { Manifest, Workspace, WorkspacePackage } from "./workspace.ts";

const engines = { node: ">=24" };
const build = "tsup --config ../../tsup.config.ts && tsc -p tsconfig.build.json";
const description = "Speaks to a model.";

/**
 * Returns a workspace without faults, to which tests add one: core, an adapter, an application and a bundled package.
 */
export function soundWorkspace(): Workspace {
  return {
    root: { engines, repository: { type: "git", url: "git+https://example.org/troupe.git" } },
    packages: [soundPackage("core", {}), soundPackage("providers-google", soundAdapter)],
    apps: [
      { path: "apps/demo", folder: "demo", manifest: { name: "@troupe/demo", private: true }, read: () => undefined },
    ],
    internal: [
      {
        path: "internal/gemini",
        folder: "gemini",
        manifest: { name: "@troupe-internal/gemini", private: true },
        read: () => undefined,
      },
    ],
  };
}

const soundAdapter: Manifest = {
  dependencies: { "@google/genai": "catalog:" },
  peerDependencies: { "@troupe/core": "workspace:^" },
  devDependencies: { "@troupe/core": "workspace:^", "@troupe-internal/gemini": "workspace:^", zod: "catalog:" },
};

function soundPackage(folder: string, manifest: Manifest): WorkspacePackage {
  const name = `@troupe/${folder}`;
  const files: Record<string, string> = {
    "README.md": `# ${name}\n\n${description}\n\nMore.\n`,
    "tsconfig.build.json": '{ "extends": "../../tsconfig.build.json" }\n',
    "./src/index.ts": "",
  };
  return {
    path: `packages/${folder}`,
    folder,
    manifest: {
      name,
      version: "0.1.0",
      description,
      license: "MIT",
      keywords: ["agents", "ai", "models"],
      homepage: `https://example.org/troupe/tree/main/packages/${folder}#readme`,
      bugs: "https://example.org/troupe/issues",
      repository: { type: "git", url: "git+https://example.org/troupe.git", directory: `packages/${folder}` },
      type: "module",
      sideEffects: false,
      files: ["dist"],
      exports: { ".": { "@troupe/source": "./src/index.ts", ...published["."] }, "./package.json": "./package.json" },
      publishConfig: { access: "public", exports: { ...published } },
      scripts: { build },
      engines,
      ...manifest,
    },
    read: (file) => files[file],
  };
}

const published = {
  ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
  "./package.json": "./package.json",
};
