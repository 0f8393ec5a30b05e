/**
 * Only the packages of the default choices are installed with the template.
 *
 * @throws {Error} if packages are missing, with the setting and their names.
 */
export async function withPackages<T>(
  setting: string,
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    const install = `npm install ${packages.join(" ")}`;
    throw new Error(`${setting} needs a package that is not installed: ${install}`, { cause: error });
  }
}

function isMissingPackage(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
