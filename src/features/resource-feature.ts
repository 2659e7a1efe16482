// A declared resource as a feature: its routes, its audit, its history, its sample data.
import { counted } from '../base/counted.ts';
import type { Resource, ResourceMembers } from '../resource/declared-resource.ts';
import type { Feature } from './feature.ts';

type ResourceFeature<M extends ResourceMembers> = Pick<Feature, 'name' | 'tag' | 'migrations'> & {
  /** Imports the resource when it is used. */
  readonly declared: () => Promise<Resource<M>>;
};

export function resourceFeature<M extends ResourceMembers>({
  declared,
  ...feature
}: ResourceFeature<M>): Feature {
  return {
    ...feature,
    needs: [],
    async load() {
      const { resourceRoutes } = await import('../resource/resource-routes.ts');
      const resource = await declared();
      return ({ lists, database, log }) => ({
        groups: [{ invalidStatus: 422, routes: resourceRoutes(resource, lists) }],
        start: () => resource.notes?.(database.read).forEach((each) => log.write('warn', each)),
      });
    },
    async maintenance() {
      const { name, plural, topic, samples, notes, shownInEvents, add, hasRows, audit, checks } =
        await declared();
      return {
        audits: [audit],
        checks,
        histories: [{ topic, table: plural, members: shownInEvents }],
        ...(notes === undefined ? {} : { notes }),
        ...(samples === undefined
          ? {}
          : {
              sample: {
                hasRows,
                add(permit, { articles, now }) {
                  const rows = samples(articles);
                  for (const row of rows) add(permit, row, now);
                  return counted(rows.length, name);
                },
              },
            }),
      };
    },
  };
}
