/** A source file. Its path is relative to the root of the repository. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** The fields of a `package.json` that the rules need. The folder of the root is `""`. */
export interface Manifest {
  readonly folder: string;
  readonly name: string;
  /** Dependencies that users of the package install: regular, peer and optional dependencies. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Names of `imports` that stand for a dependency, which some runtimes replace. Such a name begins with `#`. */
  readonly replaceable: readonly string[];
}

/** All files and manifests that the rules check. */
export interface Workspace {
  readonly files: readonly SourceText[];
  readonly manifests: readonly Manifest[];
}

/** Returns the innermost manifest around a file. */
export function manifestOf(path: string, manifests: readonly Manifest[]): Manifest {
  const around = manifests.filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`));
  const [innermost] = around.toSorted((one, other) => other.folder.length - one.folder.length);
  return innermost ?? { folder: "", name: "", dependencies: [], devDependencies: [], replaceable: [] };
}

/**
 * Returns true for a test, and for a helper in a `test` or `tests` folder. A package in `tests` is treated like any
 * package.
 */
export function isTest(path: string): boolean {
  return /\.test\.ts$|\/tests?\/|^tests\/(?!bench\/|support\/)/.test(path);
}

/** Returns true for a file that its package builds, and false for a test, a benchmark or a configuration. */
export function isBuilt(path: string, { folder }: Manifest): boolean {
  return folder !== "" && path.startsWith(`${folder}/src/`) && !isTest(path);
}
