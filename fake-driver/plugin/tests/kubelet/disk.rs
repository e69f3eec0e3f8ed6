//! CDI files and records, also when the disk is not as it should be.

use std::fs;

use drakit_driver_plugin::StartError;

use crate::world::{DRIVER, Node};

#[tokio::test]
async fn a_cdi_file_that_vanished_or_changed_comes_back_with_the_next_prepare() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    let path = node.folders().cdi.join(&node.cdi_files()[0]);
    let good = fs::read(&path).unwrap();
    fs::remove_dir_all(node.folders().cdi).unwrap();
    running.prepare("c", "uid-1").await.unwrap();
    assert_eq!(fs::read(&path).unwrap(), good);
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    running.prepare("c", "uid-1").await.unwrap();
    assert_eq!(fs::read(&path).unwrap(), good);
    running.stop().await;
}

#[tokio::test]
async fn a_start_brings_the_cdi_folder_to_what_is_prepared() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.allocate("d", "uid-2", &["gpu-1"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    running.prepare("d", "uid-2").await.unwrap();
    running.stop().await;
    let files = node.cdi_files();
    let cdi = node.folders().cdi;
    // The first is lost, the second is of a claim without a record.
    fs::remove_file(cdi.join(&files[0])).unwrap();
    fs::remove_file(node.record("uid-2")).unwrap();
    let unfinished = format!(".{DRIVER}_x.json.1-1.drakit-tmp");
    for foreign in [
        "nvidia.json",
        "nic.example.com_uid-2.json",
        unfinished.as_str(),
    ] {
        fs::write(cdi.join(foreign), "{}").unwrap();
    }
    let running = node.start().await;
    assert_eq!(running.handle.status().prepared, 1);
    assert_eq!(
        node.cdi_files(),
        [
            files[0].as_str(),
            "nic.example.com_uid-2.json",
            "nvidia.json"
        ]
    );
    running.stop().await;
}

#[tokio::test]
async fn a_damaged_record_stops_the_start_and_is_kept() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    running.stop().await;
    let record = node.record("uid-1");
    let whole = fs::read(&record).unwrap();
    fs::write(&record, &whole[..whole.len() - 20]).unwrap();
    let Err(error) = node.try_start(node.folders()).await else {
        panic!("it started");
    };
    assert!(matches!(error, StartError::Checkpoint(_)), "{error}");
    assert!(error.to_string().contains("uid-1.json"), "{error}");
    assert_eq!(fs::read(&record).unwrap(), &whole[..whole.len() - 20]);
    assert!(!node.dra_socket().exists());

    fs::rename(&record, node.record("uid-9")).unwrap();
    fs::write(node.record("uid-9"), &whole).unwrap();
    let Err(error) = node.try_start(node.folders()).await else {
        panic!("it started");
    };
    assert!(error.to_string().contains("record of claim uid"), "{error}");
}

#[tokio::test]
async fn a_failed_write_frees_the_device_and_a_retry_works() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.allocate("d", "uid-2", &["gpu-0"]);
    let running = node.start().await;
    let records = node.record("uid-1").parent().unwrap().to_owned();
    let aside = records.with_file_name("aside");
    fs::rename(&records, &aside).unwrap();
    let error = running.prepare("c", "uid-1").await.unwrap_err();
    assert!(error.contains("write checkpoint"), "{error}");
    assert!(node.cdi_files().is_empty(), "no half state");
    fs::rename(&aside, &records).unwrap();
    assert_eq!(running.prepare("d", "uid-2").await.unwrap(), ["gpu-0"]);
    running.unprepare("d", "uid-2").await.unwrap();
    assert_eq!(running.prepare("c", "uid-1").await.unwrap(), ["gpu-0"]);
    running.stop().await;
}

#[tokio::test]
async fn unprepare_keeps_the_booking_when_the_cdi_file_cannot_go() {
    let node = Node::new();
    node.cluster.allocate("c", "uid-1", &["gpu-0"]);
    node.cluster.allocate("d", "uid-2", &["gpu-0"]);
    let running = node.start().await;
    running.prepare("c", "uid-1").await.unwrap();
    let path = node.folders().cdi.join(&node.cdi_files()[0]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = running.unprepare("c", "uid-1").await.unwrap_err();
    assert!(error.contains("remove CDI file"), "{error}");
    running.prepare("d", "uid-2").await.unwrap_err();
    fs::remove_dir(&path).unwrap();
    running.unprepare("c", "uid-1").await.unwrap();
    running.prepare("d", "uid-2").await.unwrap();
    running.stop().await;
}
