/** For the `catch` of a call that reads a file: the system's own message is about a system call. */
export function missingFile(file: string): (error: NodeJS.ErrnoException) => never {
  return error => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${file}`, { cause: error }) : error
  }
}
