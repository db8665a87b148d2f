import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Whether a process may be writing the file, or ended while it did. */
export const hasLog = (file: string): boolean => existsSync(`${file}-wal`) || existsSync(`${file}-journal`)

/**
 * The file as a read-only connection opens it. Without a log no process is writing, and with `immutable` SQLite does not
 * create one either: it would leave -wal and -shm files beside a backup.
 */
export const readOnlyLocation = (file: string): string =>
  hasLog(file) ? file : `${pathToFileURL(file)}?immutable=1`
