/** Programs of Debian's packages that the rehearsal starts, and what to install where one is missing. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { environment } from "../../../api/settings/environment.ts";

const POSTGRES = "/usr/lib/postgresql";
/** Debian keeps servers where the path of a plain user does not lead. */
const SERVERS = ["/usr/sbin", "/usr/local/sbin"];

export interface PostgresPrograms {
  /** Folder of initdb, postgres, pg_basebackup and pg_ctl. */
  readonly postgresBin: string;
  /** Whom PostgreSQL runs as, since it refuses root; null: as we do. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

export interface Programs extends PostgresPrograms {
  readonly haproxy: string;
}

export class PackagesMissing extends Error {
  constructor(packages: readonly string[]) {
    super(
      `The rehearsal needs Debian packages that are not here: ${packages.join(", ")}.\nInstall them with: apt-get install --no-install-recommends ${packages.join(" ")}`,
    );
    this.name = "PackagesMissing";
  }
}

/** @throws PackagesMissing */
export function findPrograms(): Programs {
  const postgres = findPostgres();
  const haproxy = findProgram("haproxy");
  const missing = Object.entries({ postgresql: postgres, haproxy })
    .filter(([, path]) => path === null)
    .map(([name]) => name);
  if (postgres === null || haproxy === null) throw new PackagesMissing(missing);
  return { ...postgres, haproxy };
}

/** The newest that is installed. */
export function findPostgres(): PostgresPrograms | null {
  if (!existsSync(POSTGRES)) return null;
  const versions = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => join(POSTGRES, version, "bin"));
  const postgresBin = folders.find((folder) => existsSync(join(folder, "postgres")));
  return postgresBin === undefined
    ? null
    : { postgresBin, user: userInfo().uid === 0 ? postgresUser() : null };
}

function findProgram(name: string): string | null {
  const folders = [...(environment().PATH ?? "").split(delimiter), ...SERVERS];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The package makes it. */
function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}
