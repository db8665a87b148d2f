import assert from 'node:assert/strict'
import { type Logo, platformOwner, type Storage } from '../../../src/storage/port/index.ts'
import { app, check, type Open } from './fixtures.ts'
import { entry, listed } from './audit.ts'

const none = { name: null, accent: null, support: null, logo: null }
const logo = (version: string): Logo => ({
  type: 'image/webp',
  version,
  content: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
})
const versionAt = async ({ apps, brand }: Storage, owner: string) =>
  owner === platformOwner ? (await brand.find()).logo : (await apps.find(owner))?.logo

export function brandTests(open: Open): void {
  check('the brand has defaults until it is saved; saving leaves the logo', open, async storage => {
    const { brand, logos } = storage
    assert.deepEqual({ ...(await brand.find()) }, none)
    const first = { name: 'Harbour POS', accent: '#3451c6', support: 'help@example.com' }
    await brand.save(first, entry('1'))
    assert.deepEqual({ ...(await brand.find()) }, { ...first, logo: null })
    await logos.set(platformOwner, logo('v1'))
    await brand.save({ ...first, accent: null })
    assert.deepEqual({ ...(await brand.find()) }, { ...first, accent: null, logo: 'v1' })
    assert.deepEqual(await listed(storage), ['1'])
  })

  for (const owner of ['a', platformOwner]) {
    check(
      `a logo of ${owner} and its version change together, with their audit entry`,
      open,
      async storage => {
        const { logos, apps } = storage
        await apps.create(app('a'), null)
        assert.equal(await logos.find(owner), null)
        assert.equal(await logos.set(owner, null, entry('no')), false)
        assert.equal(await logos.set(owner, logo('v1'), entry('1')), true)
        assert.equal(await logos.set(owner, logo('v1'), entry('no')), false)
        assert.equal(await versionAt(storage, owner), 'v1')
        assert.equal(await logos.set(owner, { ...logo('v2'), type: 'image/png' }, entry('2')), true)
        assert.deepEqual({ ...(await logos.find(owner)) }, { ...logo('v2'), type: 'image/png' })
        await assert.rejects(logos.set(owner, logo('v3'), entry('2')))
        assert.equal(await versionAt(storage, owner), 'v2')
        assert.equal((await logos.find(owner))?.version, 'v2')
        assert.equal(await logos.set(owner, null, entry('3')), true)
        assert.equal(await logos.find(owner), null)
        assert.equal(await versionAt(storage, owner), null)
        assert.deepEqual(await listed(storage), ['3', '2', '1'])
      },
    )
  }

  check('a logo of no app is not stored; other apps keep theirs', open, async ({ apps, logos }) => {
    await apps.create(app('a'), null)
    await apps.create(app('b'), null)
    await logos.set('a', logo('v1'))
    assert.equal(await logos.set('nobody', logo('v1')), false)
    assert.equal(await logos.find('nobody'), null)
    assert.deepEqual([(await apps.find('a'))?.logo, (await apps.find('b'))?.logo], ['v1', null])
    assert.equal(await logos.find('b'), null)
  })
}
