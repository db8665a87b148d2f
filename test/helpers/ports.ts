import { settlePort } from '../../src/lib/address.ts'

export const freePort = (): Promise<number> => settlePort('127.0.0.1', 0)
