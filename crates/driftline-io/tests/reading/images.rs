//! Folders of images: classes, order, sizes, colours, damage.

use driftline_core::data::Shape;
use driftline_io::{Colour, ImageOptions, Kind, ReadOptions, open};
use expect_test::expect;

use super::make::picture;
use super::{Folder, said, table};

fn read(folder: &Folder, images: ImageOptions) -> Result<(Vec<String>, Vec<Vec<String>>), String> {
    let options = ReadOptions {
        images,
        ..ReadOptions::default()
    };
    table(folder.0.path(), &options).map_err(|error| said(folder, &error))
}

#[test]
fn a_class_per_folder_in_the_order_of_file_names() {
    let folder = Folder::new();
    folder.write("cat/10.png", picture(1, 2, 10, false, "png"));
    folder.write("cat/2.png", picture(1, 2, 2, false, "png"));
    folder.write("dog/9.PNG", picture(1, 2, 9, false, "png"));
    folder.write("dog/notes.txt", "no image");
    let (names, rows) = read(&folder, ImageOptions::default()).unwrap();
    assert_eq!(names, ["file", "label", "image"]);
    assert_eq!(
        rows,
        [
            ["cat/2.png", "cat", "2 3"],
            ["dog/9.PNG", "dog", "9 10"],
            ["cat/10.png", "cat", "10 11"]
        ]
    );
    let detected = open(folder.0.path(), &ReadOptions::default())
        .unwrap()
        .head()
        .detected
        .clone();
    expect!["3 images, 1×2 grey, a class per sub-folder, in the order of file names, 1 other files or folders left out"]
        .assert_eq(&detected);
}

#[test]
fn a_csv_file_tells_order_and_columns() {
    let folder = Folder::new();
    folder.write("a.png", picture(1, 1, 1, false, "png"));
    folder.write("b.png", picture(1, 1, 2, false, "png"));
    folder.write("c.png", picture(1, 1, 3, false, "png"));
    folder.write("list.csv", "photo,kind,year\nb.png,x,1930\na.png,y,1931\n");
    let (names, rows) = read(&folder, ImageOptions::default()).unwrap();
    assert_eq!(names, ["file", "photo", "kind", "year", "image"]);
    assert_eq!(rows[0], ["b.png", "b.png", "x", "1930", "2"]);
    assert_eq!(rows.len(), 2);
    for (text, expected) in [
        (
            "file,kind\nb.png,x\nz.png,y\n",
            "row 2, column `file`: there is no file `z.png`",
        ),
        (
            "file,kind\nb.png,x\n../b.png,y\n",
            "there is no file `../b.png`",
        ),
        (
            "file,kind\nb.png,x\nb.png,y\n",
            "`b.png` stands in row 1 already",
        ),
        ("kind,n\nx,1\n", "no column of the images' file names"),
        ("file,image\nb.png,1\n", "has a column `image`"),
    ] {
        folder.write("list.csv", text);
        let said = read(&folder, ImageOptions::default()).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }
}

/// A decoder would fill up the rest of it with grey.
#[test]
fn a_jpeg_that_was_cut_off_is_refused() {
    let folder = Folder::new();
    let whole = picture(32, 32, 100, true, "jpeg");
    folder.write("a.jpeg", &whole);
    read(&folder, ImageOptions::default()).unwrap();
    folder.write("b.jpeg", &whole[..whole.len() - 20]);
    let said = read(&folder, ImageOptions::default()).unwrap_err();
    assert!(said.starts_with("b.jpeg: is cut off"), "{said}");
}

#[test]
fn sizes_and_colours() {
    let folder = Folder::new();
    folder.write("a.png", picture(2, 2, 100, false, "png"));
    folder.write("b.jpeg", picture(4, 2, 100, false, "jpeg"));
    expect![[r#"
        b.jpeg: is 4×2, but the others are 2×2
        help: bring all to one size with --image-size HEIGHTxWIDTH, where the source is fitted"#]]
    .assert_eq(&read(&folder, ImageOptions::default()).unwrap_err());
    let (_, rows) = read(&folder, ImageOptions::resized(3, 5)).unwrap();
    assert_eq!(rows[1][1].split(' ').count(), 15);

    let folder = Folder::new();
    folder.write("a.png", picture(1, 1, 100, false, "png"));
    folder.write("b.png", picture(1, 1, 100, true, "png"));
    assert!(
        read(&folder, ImageOptions::default())
            .unwrap_err()
            .contains("colour image")
    );
    let coloured = |colour| ImageOptions {
        colour: Some(colour),
        ..ImageOptions::default()
    };
    let (_, rows) = read(&folder, coloured(Colour::Rgb)).unwrap();
    assert_eq!([&*rows[0][1], &*rows[1][1]], ["100 100 100", "100 0 255"]);
    let (_, rows) = read(&folder, coloured(Colour::Grey)).unwrap();
    // 0.299 · 100 + 0.114 · 255.
    assert_eq!([&*rows[0][1], &*rows[1][1]], ["100", "59"]);
    let frames = open(
        folder.0.path(),
        &ReadOptions {
            images: coloured(Colour::Rgb),
            ..ReadOptions::default()
        },
    );
    let shape = Shape::Image {
        height: 1,
        width: 1,
        channels: 3,
    };
    assert_eq!(frames.unwrap().fields()[1].kind, Kind::Image(shape));
}

#[test]
fn damage_and_emptiness() {
    let folder = Folder::new();
    assert!(
        read(&folder, ImageOptions::default())
            .unwrap_err()
            .contains("holds no PNG or JPEG")
    );
    let whole = picture(9, 9, 0, false, "png");
    folder.write("a.png", &whole);
    folder.write("b.png", &whole[..whole.len() / 2]);
    let error = read(&folder, ImageOptions::default()).unwrap_err();
    assert!(error.starts_with("b.png: cannot be decoded"), "{error}");
    folder.write("b.png", "no image at all");
    assert!(
        read(&folder, ImageOptions::default())
            .unwrap_err()
            .starts_with("b.png: ")
    );
    std::fs::remove_file(folder.path("b.png")).unwrap();
    folder.write("cat/a.png", &whole);
    assert!(
        read(&folder, ImageOptions::default())
            .unwrap_err()
            .contains("both beside and inside")
    );
}
